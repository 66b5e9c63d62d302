/**
 * Select queries (docs/reference/queries.md#selecting): one object per row, and pages by cursor. A cursor holds,
 * sealed, the order keys of a page's last row, what they are keys of, and the caller and query it belongs to. The next
 * page begins after that row, which an index finds at any depth.
 */
import { hash } from 'node:crypto';
import { ServiceError } from '../errors.ts';
import type { RowsForm } from '../query/ast.ts';
import { parametersOf } from '../query/expression-form.ts';
import { expressionsOfSelect, parseSelectForm, type SelectForm, textOfSelectForm } from '../query/select-form.ts';
import { concatenated, type JsonText, wholeText } from '../storage/json-text.ts';
import { TimeSlice } from '../time-slices.ts';
import type { DataContext } from './context.ts';
import { withDefinition } from './definition.ts';
import { requireFrom, runShape, shapeOf } from './run-shape.ts';
import { everything, membersOfCaller, type Requester } from './visibility.ts';

export type { SelectForm };

export interface SelectedRows {
  /** JSON text of the array of rows. */
  readonly rows: JsonText;
  /** The cursor of the following page; null after a page that is not full, and for a query without cursors. */
  readonly next: string | null;
  /** The time when the first page was requested, in milliseconds. */
  readonly begun: number;
}

interface Cursor {
  /** The time of the query's first page, kept for all pages. */
  readonly now: number;
  /** As in `RowsOutput`. */
  readonly order: string;
  /** The order keys of a row, as wire text. */
  readonly keys: readonly (string | null)[];
}

/**
 * @param objectName from the path; it must match `from.phyName`
 * @throws ServiceError 132; `noTable`; `forbidden`; 212
 */
export async function selectRows(
  context: DataContext,
  caller: Requester,
  objectName: string,
  form: SelectForm,
): Promise<SelectedRows> {
  const slice = new TimeSlice();
  requireFrom(objectName, form);
  const { settings } = context;
  const { after, range } = form;
  if (after !== undefined) requirePage(form);
  const text = textOfSelectForm(form);
  const owner = after === undefined ? '' : ownerOf(caller, text, form);
  const cursor = after === undefined || after === '' ? null : openCursor(context, after, owner);
  const { keys, now, ...inOrder } = cursor ?? { keys: [], now: context.environment.now() };
  return withDefinition(context, caller, async (space) => {
    const run = (begin: RowsForm['after'], limit?: number) => {
      const shape = space.shape(
        `${caller.sees === everything ? everything : ''}${text} ${JSON.stringify(begin)}`,
        () => {
          const { query, parameterCounts } = parseSelectForm(form, begin, settings);
          return shapeOf(context, space, query, parameterCounts, caller);
        },
      );
      const parameters = parametersOf(expressionsOfSelect(form), shape, settings);
      const page = limit === undefined ? {} : { offset: range?.offset ?? 0, limit };
      const inputs = { parameters, members: membersOfCaller(caller), now, ...page, ...inOrder, after: keys };
      return runShape(context, caller, shape, inputs, 'rows', slice);
    };
    const begin = after === undefined ? null : keys.map((key) => key === null);
    const { result, leavesRows, order } = await run(begin, range?.limit);
    const missing = (range?.limit ?? 0) - (result.page?.rows ?? 0);
    const further = leavesRows && missing > 0 ? (await run('beyond', missing)).result : null;
    const last = (further ?? result).page;
    const isFull = missing === (further?.page?.rows ?? 0) && last?.keys;
    return {
      rows: concatenated([result, ...(further === null ? [] : [further])].map(({ arrays }) => arrays[0] as JsonText)),
      next: isFull ? cursorOf(context, last.keys as JsonText, { now, order: order as string }, owner) : null,
      begun: now,
    };
  });
}

function requirePage({ range }: SelectForm): void {
  if (range === undefined) {
    throw new ServiceError(132, 'range: expected a limit beside "after", the number of rows of a page, got none.');
  }
  if (range.offset !== undefined && range.offset !== 0) {
    throw new ServiceError(
      132,
      `range.offset: expected none beside "after", which defines where the page begins, got ${range.offset}.`,
    );
  }
}

/** Binds a cursor to one query of one caller. */
function ownerOf({ spaceId, userId, sees, askedBy }: Requester, text: string, form: SelectForm): string {
  const parameters = expressionsOfSelect(form).map(({ expression }) => expression.params ?? []);
  const whose = [spaceId, userId, text, parameters, sees === everything, ...(askedBy === undefined ? [] : [askedBy])];
  return hash('sha256', JSON.stringify(whose));
}

/** @throws ServiceError 132 when the keys are too long */
function cursorOf(
  { settings: { cursorBytesMax }, seal }: DataContext,
  keys: JsonText,
  { now, order }: Omit<Cursor, 'keys'>,
  owner: string,
): string {
  const text = wholeText(keys);
  if (Buffer.byteLength(text) > cursorBytesMax) {
    throw new ServiceError(
      132,
      `orderBy: expected values of at most ${cursorBytesMax} bytes together beside "after" (setting cursorBytesMax), got more in the last row of the page; order by shorter columns.`,
    );
  }
  return seal.seal(`${owner}{"now":${now},"order":"${order}","keys":${text}}`);
}

/** @throws ServiceError 132 for a cursor that was not made here, or belongs to another query or caller */
function openCursor({ seal }: DataContext, cursor: string, owner: string): Cursor {
  let text: string;
  try {
    text = seal.open(cursor);
  } catch (error) {
    throw new ServiceError(132, 'after: expected "" or the "next" of the previous page, got another text.', {
      cause: error,
    });
  }
  if (!text.startsWith(owner)) {
    throw new ServiceError(132, 'after: this cursor belongs to another query, other parameters, or another user.');
  }
  // A cursor of an earlier version has no order, and is refused as if the tables had changed.
  return { order: '', ...JSON.parse(text.slice(owner.length)) };
}
