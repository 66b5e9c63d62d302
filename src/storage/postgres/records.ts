/**
 * Reads single records by objectId. A single request is sent at once; those that arrive while others on the same table
 * are under way wait for these, and then share one statement. Data spaces take turns within their shares of the
 * connections (`fair-queue.ts`), and some connections are left for the directory.
 */
import type { Settings } from '../../config.ts';
import type { BoundValue, Statement } from '../../query/statement.ts';
import type { Zone } from '../../schema/time.ts';
import { lateQuery } from '../busy.ts';
import { FairQueue, sharedSlots } from '../fair-queue.ts';
import type { JsonText } from '../json-text.ts';
import type { Queued } from '../queue-line.ts';
import { arrayText } from './dialect.ts';
import { serviceError } from './failure.ts';
import type { Read } from './named-statements.ts';
import type { Reader, Reads } from './reads.ts';
import { answerWriters, type RecordWriter } from './rows.ts';
import { sent } from './select.ts';

/**
 * Connections for look-ups by key use the key's index, even for a table that was small when the server last counted it,
 * and plan a statement once for all values.
 */
export const recordPlanner = { enable_seqscan: 'off', plan_cache_mode: 'force_generic_plan' } as const;

export interface Records {
  /**
   * JSON text of the record, or null.
   * @throws ServiceError; `busy` when it waited too long; `noTable` when the tables were changed meanwhile
   */
  record(spaceId: number, statement: Statement, values: readonly BoundValue[]): Promise<JsonText | null>;
}

export interface RecordsOptions {
  readonly reads: Reads;
  readonly settings: Pick<Settings, 'queryTimeMs'>;
  readonly zone: Zone;
}

/**
 * How many statements of one data space are under way at once, and the most records of one statement. With 64 callers
 * on two cores: 18 000/s with one record per statement; merged, 65 000/s with one statement under way, 100 000/s with
 * two or three, and no more beyond.
 */
const underWayMax = 3;
const merged = { requests: 64, items: 64, bytes: Number.POSITIVE_INFINITY };

/** One in this many connections is reserved for the directory, which token checks use. */
const leftOver = 3;

/** A statement for one record, in both of its forms. */
interface Forms {
  readonly one: Read;
  readonly merged: Read;
  readonly write: RecordWriter;
}

interface Wanted extends Queued {
  readonly form: Forms;
  readonly id: string | null;
  readonly members: string | null;
  readonly resolve: (record: JsonText | null) => void;
  readonly reject: (error: unknown) => void;
  found: JsonText | null;
}

export function openRecords({ reads, settings, zone }: RecordsOptions): Records {
  const forms = new WeakMap<Statement, Forms>();
  const { queryTimeMs } = settings;
  const queue = new FairQueue<Wanted>({
    slots: sharedSlots(Math.max(1, reads.max - Math.floor(reads.max / leftOver))),
    perOwnerMax: underWayMax,
    group: merged,
    gathers: true,
    start: (spaceId, wanted) => void fetch(spaceId, wanted).then(() => queue.done(spaceId, wanted)),
    late(_, wanted) {
      for (const { reject } of wanted) reject(lateQuery(queryTimeMs));
    },
  });

  function formsOf(statement: Statement): Forms {
    let present = forms.get(statement);
    if (present === undefined) {
      present = bothForms(statement, zone);
      forms.set(statement, present);
    }
    return present;
  }

  /** Settles all of them. */
  async function fetch(spaceId: number, wanted: readonly Wanted[]): Promise<void> {
    const { form } = wanted[0] as Wanted;
    const statement = wanted.length === 1 ? form.one : form.merged;
    try {
      await reads.run(spaceId, [statement], (reader) => send(reader, form, wanted));
      for (const { resolve, found } of wanted) resolve(found);
    } catch (error) {
      for (const { reject } of wanted) reject(serviceError(error, `reading a record of data space ${spaceId}`));
    }
  }

  async function send({ connections, sql }: Reader, form: Forms, wanted: readonly Wanted[]): Promise<void> {
    const [first] = wanted as [Wanted, ...Wanted[]];
    for (const one of wanted) one.found = null;
    if (wanted.length === 1) {
      await connections.query(sql(form.one, [first.id, first.members]), (row) => {
        first.found = form.write(row);
      });
      return;
    }
    const values = [arrayText(wanted.map(({ id }) => id)), arrayText(wanted.map(({ members }) => members))];
    await connections.query(sql(form.merged, values), (row) => {
      const one = wanted[Number(row[row.length - 1]) - 1] as Wanted;
      one.found = form.write(row);
    });
  }

  return {
    record(spaceId, statement, values) {
      const { promise, resolve, reject } = Promise.withResolvers<JsonText | null>();
      const form = formsOf(statement);
      const [id = null, members = null] = values.map(sent);
      const deadline = performance.now() + queryTimeMs;
      const wanted = { form, id, members, resolve, reject, found: null };
      queue.push(spaceId, { ...wanted, keys: [], kind: String(statement.id), items: 1, bytes: 0, deadline });
      return promise;
    },
  };
}

function bothForms(statement: Statement, zone: Zone): Forms {
  const [write] = answerWriters(statement, zone).arrays;
  const { merged } = statement;
  if (write === undefined || merged === undefined) throw new Error('This is no statement for a single record.');
  return {
    one: statement,
    merged: { ...statement, id: -statement.id, sql: merged },
    write,
  };
}
