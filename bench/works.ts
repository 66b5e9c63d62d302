/** What the benchmark asks for, as the bytes that the service and the floor get for the same work. */
import { httpRequest } from './client.ts';
import type { Space } from './server.ts';
import { categoryCount, countForm, newRecord, objectIdOf, pageForm, type Record, tableName } from './workload.ts';

export interface Target {
  readonly isFloor: boolean;
  readonly spaces: readonly Space[];
}

export interface Work {
  readonly name: string;
  readonly summary: string;
  /** Whether it changes data, so that its rows don't have to be there before. */
  readonly adds: boolean;
  start(target: Target, rows: number): Session;
}

/** One run against one server. */
export interface Session {
  request(sequence: number, connection: number): string;
  answered?(connection: number, text: string): void;
}

type Kind = 'get' | 'page' | 'count' | 'add' | 'update';

const servicePaths: Readonly<globalThis.Record<Kind, string>> = {
  get: `/data/${tableName}`,
  page: `/data/query/${tableName}`,
  count: `/data/query/${tableName}/count`,
  add: '/data/batch/addData',
  update: '/data/batch/updateData',
};

let transactions = 0;

function send(target: Target, space: Space, kind: Kind, id: string | number, body?: object): string {
  const method = body === undefined || (target.isFloor && kind !== 'add' && kind !== 'update') ? 'GET' : 'POST';
  const text = method === 'GET' ? '' : JSON.stringify(body);
  if (target.isFloor) return httpRequest(method, `/${kind}/${space.file}/${id}`, '', text);
  const path = kind === 'get' ? `${servicePaths.get}/${id}` : servicePaths[kind];
  return httpRequest(method, `${space.prefix}${path}`, space.token, text);
}

const batch = (data: readonly Record[]) => ({
  transactionId: `bench-${process.pid}-${transactions++}`,
  objectName: tableName,
  data,
});

/** Walks through the rows in large steps, so that neighbours are rarely asked for one after the other. */
const rowAt = (sequence: number, rows: number) => (sequence * 7_919) % rows;
const spaceAt = ({ spaces }: Target, sequence: number) => spaces[sequence % spaces.length] as Space;

const get = (target: Target, rows: number, sequence: number) =>
  send(target, spaceAt(target, sequence), 'get', objectIdOf(rowAt(sequence, rows)));
const page = (target: Target, sequence: number) => {
  const number = (sequence * 7) % categoryCount;
  return send(target, spaceAt(target, sequence), 'page', number, pageForm(number));
};
const count = (target: Target, sequence: number) => {
  const number = (sequence * 7) % categoryCount;
  return send(target, spaceAt(target, sequence), 'count', number, countForm(number));
};
const add = (target: Target, sequence: number, size: number) => {
  const data = Array.from({ length: size }, (_, index) => newRecord(sequence * size + index));
  return send(target, spaceAt(target, sequence), 'add', 0, batch(data));
};

export const works: readonly Work[] = [
  {
    name: 'get',
    summary: 'one record by its id',
    adds: false,
    start: (target, rows) => ({ request: (sequence) => get(target, rows, sequence) }),
  },
  {
    name: 'page',
    summary: 'page of 20: filter, order, join of two tables',
    adds: false,
    start: (target) => ({ request: (sequence) => page(target, sequence) }),
  },
  {
    name: 'count',
    summary: 'count of what a filter finds',
    adds: false,
    start: (target) => ({ request: (sequence) => count(target, sequence) }),
  },
  {
    name: 'add',
    summary: 'add of 1 record, with transaction id, synced',
    adds: true,
    start: (target) => ({ request: (sequence) => add(target, sequence, 1) }),
  },
  {
    name: 'add-100',
    summary: 'add of 100 records, with transaction id, synced',
    adds: true,
    start: (target) => ({ request: (sequence) => add(target, sequence, 100) }),
  },
  { name: 'update', summary: 'update of 1 record under its lock, synced', adds: true, start: updates },
  {
    name: 'mixed',
    summary: '80 % reads (get, page, count), 20 % adds',
    adds: false,
    start: (target, rows) => ({
      request(sequence) {
        const turn = sequence % 10;
        if (turn < 2) return add(target, sequence, 1);
        if (turn === 2) return count(target, sequence);
        return turn < 5 ? page(target, sequence) : get(target, rows, sequence);
      },
    }),
  },
];

/** Each connection adds a record of its own and then updates it again and again, with the time of the last answer. */
function updates(target: Target): Session {
  const own = new Map<number, { readonly objectId: string; readonly serverUpdateTime: string }>();
  return {
    request(sequence, connection) {
      const space = spaceAt(target, connection);
      const known = own.get(connection);
      if (known === undefined) return send(target, space, 'add', 0, batch([newRecord(sequence)]));
      return send(target, space, 'update', 0, batch([{ ...known, quantity: String(sequence % 1_000) }]));
    },
    answered(connection, text) {
      const { results } = JSON.parse(text.slice(text.indexOf('\r\n\r\n')));
      own.set(connection, { objectId: results[0].objectId, serverUpdateTime: results[0].serverUpdateTime });
    },
  };
}
