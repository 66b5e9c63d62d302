/** Lines that must not compile, each with the error that it must have: its code, and a part of its text. */
import { createClient } from '../../../packages/client/src/client.ts';
import { and, coalesce, count, min, not, sum, upper } from '../../../packages/client/src/expression.ts';
import { exists, isIn } from '../../../packages/client/src/query.ts';
import type { BookRow, Tables } from '../../client/types.ts';

const place = { url: 'http://localhost', companyId: 1, appId: 'app', appVersion: '1.0.0', session: 'token' };
const client = createClient<Tables>(place);
const { db } = client;
declare const book: BookRow;
const put = await db.Book.put({ title: 'a' }, { by: ['title'] });
const joined = db.Book.leftJoin('by', 'Author', (b, { by }) => by.objectId.eq(b.author));

// expected: TS2551 Property 'Boook' does not exist on type 'Db<Tables>'. Did you mean 'Book'?
db.Boook;
// expected: TS2345 Argument of type 'number' is not assignable to parameter of type 'string'.
db.Book.get(5);
// expected: TS2554 Expected 1-2 arguments, but got 0.
db.Book.get();
// expected: TS2551 Property 'gett' does not exist on type 'Table<Tables, "Book">'. Did you mean 'get'?
db.Book.gett('id');
// expected: TS2322 Type 'BookRow | null' is not assignable to type 'number'.
const _wrongRow: number = await db.Book.get('id');
// expected: TS2322 Type 'BookRow | null' is not assignable to type 'BookRow'.
const _notNull: BookRow = await db.Book.get('id');
// expected: TS2741 Property 'title' is missing in type '{}' but required in type 'BookInsert'.
db.Book.add({});
// expected: TS2322 Type 'number' is not assignable to type 'string'.
db.Book.add({ title: 5 });
// expected: TS2322 Type 'null' is not assignable to type 'string'.
db.Book.add({ title: null });
// expected: TS2561 Object literal may only specify known properties, but 'titel' does not exist in type 'BookInsert'. D
db.Book.add({ title: 'a', titel: 'b' });
// expected: TS2322 Type 'number' is not assignable to type 'string'.
db.Book.add({ title: 'a', copies: 7 });
// expected: TS2322 Type 'number' is not assignable to type 'string'.
db.Book.add({ title: 'a', price: 9.5 });
// expected: TS2322 Type 'string' is not assignable to type 'number'.
db.Book.add({ title: 'a', year: '1961' });
// expected: TS2322 Type 'string' is not assignable to type 'boolean | null'.
db.Book.add({ title: 'a', sold: 'yes' });
// expected: TS2322 Type 'Date' is not assignable to type 'string'.
db.Book.add({ title: 'a', added: new Date() });
// expected: TS2322 Type '4' is not assignable to type '1 | 2 | 3'.
db.Book.add({ title: 'a', scopeType: 4 });
// expected: TS2353 Object literal may only specify known properties, and 'serverUpdateTime' does not exist in type 'Boo
db.Book.add({ title: 'a', serverUpdateTime: '2026-01-01' });
// expected: TS2561 Object literal may only specify known properties, but 'titel' does not exist in type 'BookUpdate'. D
db.Book.update(book, { titel: 'b' });
// expected: TS2322 Type 'null' is not assignable to type 'string'.
db.Book.update(book, { title: null });
// expected: TS2322 Type 'string' is not assignable to type 'number'.
db.Book.update(book, { year: '1961' });
// expected: TS2353 Object literal may only specify known properties, and 'objectId' does not exist in type 'BookUpdate'
db.Book.update(book, { objectId: 'another' });
// expected: TS2741 Property 'serverUpdateTime' is missing in type '{ objectId: string; }' but required in type 'Locked'
db.Book.update({ objectId: 'id' }, { year: 1961 });
// expected: TS2345 Argument of type 'string' is not assignable to parameter of type 'Locked'.
db.Book.update('id', { year: 1961 });
// expected: TS2345 Argument of type 'string' is not assignable to parameter of type 'Locked'.
db.Book.delete('id');
// expected: TS2741 Property 'serverUpdateTime' is missing in type '{ objectId: string; }' but required in type 'Locked'
db.Book.delete({ objectId: 'id' });
// expected: TS2741 Property 'title' is missing in type '{ year: number; }' but required in type 'BookInsert'.
db.Book.put({ year: 1961 });
// expected: TS2322 Type '"isbn"' is not assignable to type '"CreateTime" | "UpdateTime" | "added" | "author" | "copies"
db.Book.put({ title: 'a' }, { by: ['isbn'] });
// expected: TS2322 Type 'string | undefined' is not assignable to type 'string'.
const _queued: string = put.ok && put.isQueued ? put.record.objectId : '';
// expected: TS2339 Property 'record' does not exist on type 'Result<BookRow, BookRow>'.
(await db.Book.update(book, {})).record;
// expected: TS2339 Property 'conflict' does not exist on type 'Result<BookRow, BookRow>'.
(await db.Book.update(book, {})).conflict;
// expected: TS2820 Type '"titel"' is not assignable to type '"CreateTime" | "UpdateTime" | "added" | "author" | "copies
db.Book.select({ select: ['titel'] });
// expected: TS2322 Type 'string' is not assignable to type 'Selection<BookTable, {}> | undefined'.
db.Book.select({ select: 'title' });
// expected: TS2561 Object literal may only specify known properties, but 'wher' does not exist in type 'QueryOptions<Bo
db.Book.select({ wher: 1 });
// expected: TS2551 Property 'titel' does not exist on type 'Columns<BookColumns>'. Did you mean 'title'?
db.Book.select({ where: (b) => b.titel.eq('a') });
// expected: TS2345 Argument of type 'number' is not assignable to parameter of type 'Operand<"text">'.
db.Book.select({ where: (b) => b.title.eq(5) });
// expected: TS2345 Argument of type 'null' is not assignable to parameter of type 'Operand<"text">'.
db.Book.select({ where: (b) => b.title.eq(null) });
// expected: TS2345 Argument of type 'Column<"integer" | null>' is not assignable to parameter of type 'Operand<"text">
db.Book.select({ where: (b) => b.title.eq(b.year) });
// expected: TS2345 Argument of type 'Column<"long" | null>' is not assignable to parameter of type 'Operand<"double" |
db.Book.select({ where: (b) => b.weight.eq(b.copies) });
// expected: TS2345 Argument of type 'string' is not assignable to parameter of type 'Operand<"integer" | null>'.
db.Book.select({ where: (b) => b.year.eq('1961') });
// expected: TS2684 The 'this' context of type 'Column<"integer" | null>' is not assignable to method's 'this' of type
db.Book.select({ where: (b) => b.year.like('19%') });
// expected: TS2345 Argument of type 'number' is not assignable to parameter of type 'string'.
db.Book.select({ where: (b) => b.title.like(5) });
// expected: TS2684 The 'this' context of type 'Column<"integer" | null>' is not assignable to method's 'this' of type
db.Book.select({ where: (b) => b.year.match('fox') });
// expected: TS2345 Argument of type 'string' is not assignable to parameter of type 'ComparableWith<"json" | null>'.
db.Book.select({ where: (b) => b.extra.eq('{}') });
// expected: TS2345 Argument of type 'number' is not assignable to parameter of type 'readonly Operand<"integer" | null>
db.Book.select({ where: (b) => b.year.in(1961) });
// expected: TS2322 Type 'string' is not assignable to type 'Operand<"integer" | null>'.
db.Book.select({ where: (b) => b.year.in(['1961']) });
// expected: TS2554 Expected 2 arguments, but got 1.
db.Book.select({ where: (b) => b.year.between(1961) });
// expected: TS2322 Type '(b: Columns<BookColumns>) => Column<"integer" | null>' is not assignable to type 'FromColumns<BookTabl
db.Book.select({ where: (b) => b.year });
// expected: TS2322 Type '(b: Columns<BookColumns>) => boolean' is not assignable to type 'FromColumns<BookTable, {}, Where>'.
db.Book.select({ where: (b) => b.year.gt(1961) && true });
// expected: TS2345 Argument of type 'Column<"integer" | null>' is not assignable to parameter of type 'Where'.
db.Book.select({ where: (b) => and(b.sold, b.year) });
// expected: TS2345 Argument of type 'Column<"text">' is not assignable to parameter of type 'Where'.
db.Book.select({ where: (b) => not(b.title) });
// expected: TS2345 Argument of type '"yes"' is not assignable to parameter of type 'Operand<"bool" | null>'.
db.Book.select({ where: (b) => b.sold.gt('yes') });
// expected: TS2322 Type '(b: Columns<BookColumns>) => Column<"text">' is not assignable to type 'FromColumns<BookTable, {}, Col
db.Book.select({ orderBy: (b) => b.title });
// expected: TS2322 Type '(b: Columns<BookColumns>) => Order'
db.Book.select({ orderBy: (b) => coalesce(b.year, 0).asc() });
// expected: TS2322 Type '() => Order'
db.Book.select({ select: ['title'], orderBy: () => count().desc() });
// expected: TS2322 Type 'string' is not assignable to type 'number'.
db.Book.select({ limit: '10' });
// expected: TS2322 Type '() => { title: string; }' is not assignable to type 'Selection<BookTable, {}> | undefined'.
db.Book.select({ select: () => ({ title: 'title' }) });
// expected: TS2345 Argument of type 'Column<"double" | null>' is not assignable to parameter of type 'Exact'.
db.Book.select({ select: (b) => ({ sum: sum(b.weight) }) });
// expected: TS2345 Argument of type 'Column<"text">' is not assignable to parameter of type 'Exact'.
db.Book.select({ select: (b) => ({ sum: sum(b.title) }) });
// expected: TS2345 Argument of type 'Column<"json" | null>' is not assignable to parameter of type 'Typed<"bool" | "da
db.Book.select({ select: (b) => ({ least: min(b.extra) }) });
// expected: TS2345 Argument of type 'Column<"integer" | null>' is not assignable to parameter of type 'Typed<"text" |
db.Book.select({ select: (b) => ({ upper: upper(b.year) }) });
// expected: TS2345 Argument of type '(text: number) => number' is not assignable to parameter of type '(value: string)
db.Book.select({ select: (b) => ({ copies: b.copies.as((text: number) => text) }) });
// expected: TS2339 Property 'year' does not exist on type 'Pick<BookRow, "title">'.
(await db.Book.select({ select: ['title'] }))[0]?.year;
// expected: TS2322 Type 'Pick<BookRow, "year">[]' is not assignable to type '{ year: number; }[]'.
const _narrowed: { year: number }[] = await db.Book.select({ select: ['year'] });
// expected: TS2322 Type '{ n: string | null; }[]' is not assignable to type '{ n: bigint | null; }[]'.
const _big: { n: bigint | null }[] = await db.Book.select({ select: (b) => ({ n: b.copies }) });
// expected: TS2322 Type '{ n: number; }[]' is not assignable to type '{ n: string; }[]'.
const _counted: { n: string }[] = await db.Book.select({ select: () => ({ n: count() }) });
// expected: TS2345 Argument of type '"Autor"' is not assignable to parameter of type '"Author" | "Book"'.
db.Book.leftJoin('by', 'Autor', (b, { by }) => by.objectId.eq(b.author));
// expected: TS2339 Property 'of' does not exist on type 'ColumnsOf<{ by: AuthorTable; }>'.
db.Book.leftJoin('by', 'Author', (b, { of }) => of.objectId.eq(b.author));
// expected: TS2339 Property 'title' does not exist on type 'Columns<AuthorColumns>'.
db.Book.leftJoin('by', 'Author', (b, { by }) => by.title.eq(b.author));
// expected: TS2531 Object is possibly 'null'.
(await joined.select())[0]?.by.name;
// expected: TS2531 Object is possibly 'null'.
(await db.Book.rightJoin('by', 'Author', (b, { by }) => by.objectId.eq(b.author)).select())[0]?.Book.title;
// expected: TS2322 Type '{ name: string | null; }[]' is not assignable to type '{ name: string; }[]'.
const _joinedName: { name: string }[] = await joined.select({ select: (_, { by }) => ({ name: by.name }) });
// expected: TS2339 Property 'add' does not exist on type 'Query<Tables, "Book", BookTable, { by: MayMiss<AuthorTable>;
joined.add({ title: 'a' });
// expected: TS2339 Property 'titel' does not exist on type 'Columns<AuthorColumns>'.
exists(db.Author, (a) => a.titel.eq('b'));
// expected: TS2741 Property 'columnKinds' is missing
exists(joined);
// expected: TS2322 Type 'Column<"text">' is not assignable to type 'ComparableWith<"integer" | null>'.
db.Book.select({ where: (b) => isIn(b.year, db.Author, (a) => a.name) });
// expected: TS2551 Property 'Autor' does not exist on type 'BatchTables<Tables>'. Did you mean 'Author'?
client.batch((to) => to.Autor.add({ name: 'Lem' }));
// expected: TS2561 Object literal may only specify known properties, but 'nam' does not exist in type 'AuthorInsert'. D
client.batch((to) => to.Author.add({ nam: 'Lem' }));
// expected: TS2741 Property 'serverUpdateTime' is missing in type '{ objectId: string; }' but required in type 'Locked'
client.batch((to) => void to.Book.update({ objectId: 'id' }, {}));
// expected: TS2345 Argument of type '"LOUD"' is not assignable to parameter of type 'LogLevel'.
client.log('LOUD', 'message');
// expected: TS2739 Type '{ url: string; }' is missing the following properties from type 'ClientOptions': session, comp
createClient<Tables>({ url: 'http://localhost' });
// expected: TS2322 Type 'string' is not assignable to type 'number'.
createClient<Tables>({ ...place, companyId: '1' });
// expected: TS2344 Type '{ Book: { row: string; }; }' does not satisfy the constraint 'AnyTables<{ Book: { row: string;
createClient<{ Book: { row: string } }>(place);
