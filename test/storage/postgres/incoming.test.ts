/**
 * Data received by a connection: large texts become JSON however packets are split; everything else reaches the driver
 * unchanged.
 */
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { type DriverConnection, Incoming, type Row } from '../../../src/storage/postgres/incoming.ts';
import { wholeOf } from '../../engines/json-text.ts';

/** Bytes from which a text is large. */
const large = 64 * 1024;

/** A connection, the data its driver got, and a function to send it data. */
function opened(onDriverData: (data: Buffer) => void = () => {}) {
  const rows: Row[] = [];
  const toDriver: Buffer[] = [];
  const told: string[] = [];
  const stream = Object.assign(new EventEmitter(), {
    pause: () => told.push('pauses'),
    resume: () => told.push('goes on'),
  });
  const connection: DriverConnection = {
    attachListeners: (source) =>
      void source.on('data', (data: Buffer) => {
        toDriver.push(Buffer.from(data));
        onDriverData(data);
      }),
    emit: (_event, { fields }) => rows.push(fields),
  };
  const incoming = new Incoming(connection);
  connection.attachListeners(stream);
  return { incoming, rows, toDriver, told, receive: (bytes: Buffer) => stream.emit('data', bytes) };
}

function message(kind: string, content: Buffer): Buffer {
  const header = Buffer.alloc(5, kind);
  header.writeUInt32BE(content.length + 4, 1);
  return Buffer.concat([header, content]);
}

function rowMessage(fields: readonly (string | null)[]): Buffer {
  const parts = fields.flatMap((field) => {
    const length = Buffer.alloc(4);
    length.writeInt32BE(field === null ? -1 : Buffer.byteLength(field));
    return field === null ? [length] : [length, Buffer.from(field)];
  });
  const count = Buffer.alloc(2);
  count.writeInt16BE(fields.length);
  return message('D', Buffer.concat([count, ...parts]));
}

const shortText = fc.string({ unit: 'binary', maxLength: 20 }).filter((text) => text.isWellFormed());
const someText = fc
  .tuple(fc.oneof(shortText, fc.constantFrom('"', '\\', '\n\u0001\u007f', 'ā\u2028é😀')), fc.nat(2 * large))
  .map(([text, length]) => text.repeat(length / Math.max(1, Buffer.byteLength(text))));
const rowOf = fc.array(fc.oneof(shortText, someText, fc.constant(null)), { minLength: 1, maxLength: 4 });
const isLarge = (row: readonly (string | null)[]) => rowMessage(row).length > large;
/** Packets of a few bytes, or as large as from a socket. */
const packets = fc.array(fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constant(large)), { minLength: 1, maxLength: 40 });

test('connections yield after a slice of work, and one continues in each turn of the event loop', async () => {
  const busy = () => {
    for (const begin = performance.now(); performance.now() - begin < 5; );
  };
  const all = [opened(busy), opened(busy)] as const;
  const told = () => all.map((one) => one.told.splice(0));
  for (const { receive } of all) receive(message('C', Buffer.from('SELECT 5\0')));
  assert.deepEqual(told(), [['pauses'], ['pauses']]);
  await nextTurn();
  assert.deepEqual(told(), [['goes on'], []]);
  // Held while paused, so its turn does not continue it.
  all[1].incoming.hold();
  told();
  await nextTurn();
  assert.deepEqual(told(), [[], []]);
  all[1].incoming.release();
  assert.deepEqual(told(), [[], ['goes on']]);
});

test('large rows arrive with their texts as JSON, everything else reaches the driver, however packets are split', () => {
  fc.assert(
    fc.property(fc.array(rowOf, { maxLength: 5 }), packets, fc.boolean(), (sent, sizes, takesPieces) => {
      const { incoming, rows, toDriver, receive } = opened();
      incoming.takesPieces = takesPieces;
      const end = message('C', Buffer.from('SELECT 5\0'));
      const bytes = Buffer.concat([...sent.map(rowMessage), end]);
      for (let at = 0, packet = 0; at < bytes.length; packet++) {
        const size = sizes[packet % sizes.length] as number;
        receive(bytes.subarray(at, at + size));
        at += size;
      }
      const own = sent.filter((row) => takesPieces && isLarge(row));
      const expected = own.map((row) =>
        row.map((value) => (value !== null && Buffer.byteLength(value) > large ? JSON.stringify(value) : value)),
      );
      // Not deepEqual, whose message would show megabytes.
      assert.ok(
        isDeepStrictEqual(
          rows.map((row) => row.map((value) => (value === null ? null : wholeOf(value)))),
          expected,
        ),
      );
      const others = sent.filter((row) => !own.includes(row)).map(rowMessage);
      assert.ok(Buffer.concat(toDriver).equals(Buffer.concat([...others, end])));
    }),
    { numRuns: 50 },
  );
});
