/** Asks a question in each of its forms and holds every answer against the reference's. */
import type { Question } from './questions.ts';
import type { Expected, WireRow } from './reference.ts';
import type { Service } from './service.ts';

export interface Finding {
  readonly question: string;
  readonly form: 'expression' | 'count' | 'older';
  /** Rows of the answer; for a count, the number that it tells. */
  readonly rows: number;
  /** From sending the request to having its answer parsed. */
  readonly milliseconds: number;
  /** Where the answer differs from the reference's, as a sentence; null where it does not. */
  readonly difference: string | null;
}

interface OlderAnswer {
  readonly results: readonly Readonly<Record<string, readonly WireRow[]>>[];
  readonly counter: number;
  readonly pageIndex: number;
  readonly totalPage: number;
}

/** The columns that Rowhouse adds to every table, before the defined ones (docs/reference/values.md#system-columns). */
const systemColumns = [
  'objectId',
  'CreateTime',
  'UpdateTime',
  'serverCreateTime',
  'serverUpdateTime',
  'serverRecordStatus',
  'scopeType',
  'groupIds',
  'createUserId',
];

export async function ask(service: Service, question: Question, expected: Expected): Promise<Finding[]> {
  const findings = [await askInExpressions(service, question, expected), await askCount(service, question, expected)];
  if (question.older !== undefined) findings.push(await askInOlderForm(service, question, question.older, expected));
  return findings;
}

async function askInExpressions(service: Service, question: Question, expected: Expected): Promise<Finding> {
  const { expression, answered } = question;
  const { answer, milliseconds } = await timed(service, `data/query/${expression.from.phyName}`, expression);
  const arrays = Object.entries(answer as Record<string, WireRow[]>);
  const difference =
    differenceOfLists(
      'the aliases',
      Object.keys(answered),
      arrays.map(([alias]) => alias),
    ) ??
    differenceOfArrays(
      Object.keys(answered),
      expected,
      arrays.map(([, rows]) => rows),
    );
  return { question: question.name, form: 'expression', rows: arrays[0]?.[1].length ?? 0, milliseconds, difference };
}

async function askCount(service: Service, question: Question, expected: Expected): Promise<Finding> {
  const { expression } = question;
  const { answer, milliseconds } = await timed(service, `data/query/${expression.from.phyName}/count`, expression);
  const { count } = answer as { count: number };
  const difference = differenceOfLists('the count', [expected.count], [count]) ?? emptiness(expected.count);
  return { question: question.name, form: 'count', rows: count, milliseconds, difference };
}

async function askInOlderForm(
  service: Service,
  question: Question,
  older: NonNullable<Question['older']>,
  expected: Expected,
): Promise<Finding> {
  const { answer, milliseconds } = await timed(service, 'data/query', older);
  const { results, counter, pageIndex, totalPage } = answer as OlderAnswer;
  const pages = [expected.count, older.pageIndex, Math.ceil(expected.count / older.maxRecord)];
  const keys = results.flatMap((element) => Object.keys(element));
  const arrays = results.flatMap((element) => Object.values(element));
  const difference =
    differenceOfLists('counter, pageIndex and totalPage', pages, [counter, pageIndex, totalPage]) ??
    differenceOfLists('the tables', Object.values(question.answered), keys) ??
    differenceOfArrays(keys, expected, arrays);
  return { question: question.name, form: 'older', rows: arrays[0]?.length ?? 0, milliseconds, difference };
}

async function timed(service: Service, path: string, body: object) {
  const started = performance.now();
  const answer = await service.post(path, body);
  return { answer, milliseconds: performance.now() - started };
}

function differenceOfArrays(
  names: readonly string[],
  expected: Expected,
  received: readonly (readonly WireRow[])[],
): string | null {
  for (const [position, rows] of expected.arrays.entries()) {
    const name = names[position];
    const found = received[position] ?? [];
    for (const [index, row] of rows.entries()) {
      const difference = differenceOfRows(`row ${index + 1} of ${name}`, row, found[index]);
      if (difference !== null) return difference;
    }
    if (found.length !== rows.length) return `${name} has ${found.length} rows; the reference has ${rows.length}.`;
  }
  return emptiness(expected.arrays[0]?.length ?? 0);
}

function differenceOfRows(place: string, expected: WireRow, received: WireRow | undefined): string | null {
  if (received === undefined) return `There is no ${place}; the reference has ${JSON.stringify(expected)}.`;
  const { objectId } = expected;
  const defined = Object.keys(expected).filter((column) => column !== 'objectId');
  const wrongColumns = differenceOfLists(
    `the columns in ${place}`,
    [...systemColumns, ...defined],
    Object.keys(received),
  );
  if (wrongColumns !== null) return wrongColumns;
  // Where an outer join found no partner, the service's own columns are null as well
  // (docs/reference/queries.md#the-answer-to-a-query).
  const whole =
    objectId === null ? { ...Object.fromEntries(systemColumns.map((name) => [name, null])), ...expected } : expected;
  for (const [column, value] of Object.entries(whole)) {
    if (received[column] === value) continue;
    const answer = `${column} is ${JSON.stringify(received[column])}; the reference has ${JSON.stringify(value)}`;
    return `In ${place}, ${answer} (record ${objectId}).`;
  }
  return null;
}

function differenceOfLists(what: string, expected: readonly unknown[], received: readonly unknown[]): string | null {
  const [wanted, found] = [JSON.stringify(expected), JSON.stringify(received)];
  return wanted === found ? null : `Of ${what}, ${found} came; ${wanted} was expected.`;
}

/** An empty answer would prove nothing. */
function emptiness(rows: number): string | null {
  return rows === 0 ? 'The reference has no rows to compare with.' : null;
}
