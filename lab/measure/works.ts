/** The requests of the benchmark, the same for every server under test. */
import type { Space, Target, Written } from './asks.ts';
import { categoriesOf, newRecord } from './workload.ts';

export interface Work {
  readonly name: string;
  readonly summary: string;
  /** @param rows existing in each data space */
  start(target: Target, rows: number): Session;
}

/** One run against one server. */
export interface Session {
  request(sequence: number, connection: number): string;
  answered?(connection: number, text: string): void;
}

/** Walks through the rows in large steps, so that neighbours are rarely requested one after the other. */
const rowAt = (sequence: number, rows: number) => (sequence * 7_919) % rows;
const categoryAt = (sequence: number, rows: number) => (sequence * 7) % categoriesOf(rows);
const spaceAt = ({ spaces }: Target, sequence: number) => spaces[sequence % spaces.length] as Space;

const get = (target: Target, rows: number, sequence: number) =>
  target.asks.get(spaceAt(target, sequence), rowAt(sequence, rows));
const page = (target: Target, rows: number, sequence: number) =>
  target.asks.page(spaceAt(target, sequence), categoryAt(sequence, rows));
const count = (target: Target, rows: number, sequence: number) =>
  target.asks.count(spaceAt(target, sequence), categoryAt(sequence, rows));
const add = (target: Target, sequence: number, size: number) => {
  const data = Array.from({ length: size }, (_, index) => newRecord(sequence * size + index));
  return target.asks.add(spaceAt(target, sequence), data);
};

export const works: readonly Work[] = [
  {
    name: 'get',
    summary: 'one record by its id',
    start: (target, rows) => ({ request: (sequence) => get(target, rows, sequence) }),
  },
  {
    name: 'page',
    summary: 'page of 20: filter, order, join of two tables',
    start: (target, rows) => ({ request: (sequence) => page(target, rows, sequence) }),
  },
  {
    name: 'count',
    summary: 'count of what a filter finds',
    start: (target, rows) => ({ request: (sequence) => count(target, rows, sequence) }),
  },
  {
    name: 'add',
    summary: 'add of 1 record, with transaction id, synced',
    start: (target) => ({ request: (sequence) => add(target, sequence, 1) }),
  },
  {
    name: 'add-100',
    summary: 'add of 100 records, with transaction id, synced',
    start: (target) => ({ request: (sequence) => add(target, sequence, 100) }),
  },
  { name: 'update', summary: 'update of 1 record under its lock, synced', start: updates },
  {
    name: 'mixed',
    summary: '80 % reads (get, page, count), 20 % adds',
    start: (target, rows) => ({
      request(sequence) {
        const turn = sequence % 10;
        if (turn < 2) return add(target, sequence, 1);
        if (turn === 2) return count(target, rows, sequence);
        return turn < 5 ? page(target, rows, sequence) : get(target, rows, sequence);
      },
    }),
  },
];

/** Each connection adds its own record and then updates it repeatedly, with the time of the last answer. */
function updates(target: Target): Session {
  const own = new Map<number, Written>();
  return {
    request(sequence, connection) {
      const space = spaceAt(target, connection);
      const known = own.get(connection);
      if (known === undefined) return target.asks.add(space, [newRecord(sequence)]);
      return target.asks.update(space, known, sequence % 1_000);
    },
    answered(connection, text) {
      const body = text.slice(text.indexOf('\r\n\r\n'));
      own.set(connection, target.asks.written(body, own.get(connection)));
    },
  };
}
