/**
 * Reading single records by their objectId. One that comes alone is asked for at once; those that come while others of the
 * same table are on their way wait for these, and go out together in one statement. Data spaces have their shares of the
 * connections (`shares.ts`), and all of them leave some to the directory.
 */
import type { Settings } from '../../config.ts';
import type { BoundValue, Statement } from '../../query/statement.ts';
import type { Zone } from '../../schema/time.ts';
import { arrayText } from './array-text.ts';
import type { Connections } from './connections.ts';
import { serviceError } from './failure.ts';
import { NamedStatements } from './named-statements.ts';
import { type RecordWriter, recordWriter } from './rows.ts';
import { sent } from './select.ts';
import { Shares } from './shares.ts';

/**
 * Connections for look-ups by key take the key's index, also where a table was small when the server last counted it, and
 * plan a statement once for all values.
 */
export const recordPlanner = { enable_seqscan: 'off', plan_cache_mode: 'force_generic_plan' } as const;

export interface Records {
  /**
   * JSON text of the record, or null.
   * @throws ServiceError; `noTable` when the tables were changed meanwhile
   */
  record(spaceId: number, statement: Statement, values: readonly BoundValue[]): Promise<string | null>;
}

export interface RecordsOptions {
  readonly connections: Connections;
  readonly settings: Pick<Settings, 'databasePreparedMax'>;
  readonly zone: Zone;
}

/**
 * How many statements of one table of a data space are on their way at once, and how many records one of them asks for at
 * most. With 64 callers on two cores: one record a statement 18 000/s, merged with one under way 65 000/s, two or three
 * 100 000/s, more no faster.
 */
const underWayMax = 3;
const mergedMax = 64;

/** One in so many connections is left to the directory, by which everybody's token is settled. */
const leftOver = 3;

interface Wanted {
  readonly id: string | null;
  readonly members: string | null;
  readonly resolve: (record: string | null) => void;
  readonly reject: (error: unknown) => void;
  found: string | null;
}

/** The reads of one table of one data space. */
interface Lane {
  readonly spaceId: number;
  readonly form: Forms;
  readonly waiting: Wanted[];
  underWay: number;
  isAwake: boolean;
}

/** A statement for one record, in both of its forms. */
interface Forms {
  readonly one: Pick<Statement, 'id' | 'sql'>;
  readonly merged: Pick<Statement, 'id' | 'sql'>;
  readonly write: RecordWriter;
  /** By data space, as long as something is wanted. */
  readonly lanes: Map<number, Lane>;
}

export function openRecords({ connections, settings, zone }: RecordsOptions): Records {
  const named = new NamedStatements(settings.databasePreparedMax);
  const forms = new WeakMap<Statement, Forms>();
  const shares = new Shares(Math.max(1, connections.max - Math.floor(connections.max / leftOver)));
  /** Those that could start if their data space had not its share already, in the order of their turns. */
  const held = new Set<Lane>();

  function formsOf(statement: Statement): Forms {
    let present = forms.get(statement);
    if (present === undefined) {
      present = bothForms(statement, zone);
      forms.set(statement, present);
    }
    return present;
  }

  /** After what has come by now is read: requests that came together are then wanted together. */
  function wake(lane: Lane): void {
    if (lane.isAwake) return;
    lane.isAwake = true;
    setImmediate(() => {
      lane.isAwake = false;
      dispatch(lane);
    });
  }

  function dispatch(lane: Lane): void {
    const { spaceId, form } = lane;
    held.delete(lane);
    while (lane.waiting.length > 0 && lane.underWay < underWayMax) {
      if (!shares.isOpenTo(spaceId)) {
        held.add(lane);
        break;
      }
      lane.underWay++;
      shares.take(spaceId);
      void fetch(spaceId, form, lane.waiting.splice(0, mergedMax)).then(() => {
        lane.underWay--;
        shares.giveBack(spaceId);
        // Its own next one comes after those that waited for a share.
        for (const other of [...held]) if (shares.isOpenTo(other.spaceId)) dispatch(other);
        dispatch(lane);
      });
    }
    if (lane.underWay === 0 && lane.waiting.length === 0 && !lane.isAwake) form.lanes.delete(spaceId);
  }

  /** Settles every one of them. */
  async function fetch(spaceId: number, form: Forms, wanted: readonly Wanted[]): Promise<void> {
    const statement = wanted.length === 1 ? form.one : form.merged;
    try {
      await named.retrying(spaceId, [statement], () => send(spaceId, form, wanted));
      for (const { resolve, found } of wanted) resolve(found);
    } catch (error) {
      for (const { reject } of wanted) reject(serviceError(error, `reading a record of data space ${spaceId}`));
    }
  }

  async function send(spaceId: number, form: Forms, wanted: readonly Wanted[]): Promise<void> {
    const [first] = wanted as [Wanted, ...Wanted[]];
    if (wanted.length === 1) {
      await connections.query(named.sql(spaceId, form.one, [first.id, first.members]), (row) => {
        first.found = form.write(row);
      });
      return;
    }
    const values = [arrayText(wanted.map(({ id }) => id)), arrayText(wanted.map(({ members }) => members))];
    await connections.query(named.sql(spaceId, form.merged, values), (row) => {
      const one = wanted[Number(row[row.length - 1]) - 1] as Wanted;
      one.found = form.write(row);
    });
  }

  return {
    record(spaceId, statement, values) {
      const { promise, resolve, reject } = Promise.withResolvers<string | null>();
      const form = formsOf(statement);
      let lane = form.lanes.get(spaceId);
      if (lane === undefined) {
        lane = { spaceId, form, waiting: [], underWay: 0, isAwake: false };
        form.lanes.set(spaceId, lane);
      }
      const [id = null, members = null] = values.map(sent);
      lane.waiting.push({ id, members, resolve, reject, found: null });
      if (lane.underWay < underWayMax) wake(lane);
      return promise;
    },
  };
}

/**
 * The merged form repeats the statement, and with it the rule of what the caller may see, for each pair of id and members.
 * With its LIMIT, the planner has to look each id up, and can't read the whole table instead.
 */
function bothForms(statement: Statement, zone: Zone): Forms {
  const [output] = statement.outputs;
  if (output === undefined) throw new Error('The statement for a single record has no output.');
  const each = statement.sql.replaceAll('$1', 'wanted.id').replaceAll('$2', 'wanted.members');
  const merged = `SELECT found.*, wanted.number FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS wanted(id, members, number) \
CROSS JOIN LATERAL (${each} LIMIT 1) AS found`;
  return {
    one: statement,
    merged: { id: -statement.id, sql: merged },
    write: recordWriter(output, 0, zone),
    lanes: new Map(),
  };
}
