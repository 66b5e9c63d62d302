/** A process that moves and is killed at a given call to the target: an `Interruption` as JSON. */
import { defaults } from '../../src/config.ts';
import { move } from '../../src/move/move.ts';
import { parseLocation } from '../../src/storage/location.ts';
import { openTransferSource, openTransferTarget } from '../../src/storage/open.ts';
import type { TransferTarget } from '../../src/storage/transfer.ts';

export interface Interruption {
  readonly from: string;
  readonly to: string;
  /** The number of the last writing call, from 1; 0 to complete and print their number. */
  readonly call: number;
  /** `during`: it was begun, and its progress is unknown. */
  readonly when: 'before' | 'during' | 'after';
}

const writing: ReadonlySet<string> = new Set([
  'begin',
  'makeRoom',
  'makeTable',
  'write',
  'completeTable',
  'completeSpace',
  'setSequences',
  'finish',
]);

const { from, to, call, when } = JSON.parse(process.argv[2] as string) as Interruption;
const settings = { ...defaults, secretKey: '' };
let calls = 0;

const source = await openTransferSource(parseLocation(from), settings);
const target = await openTransferTarget(parseLocation(to), settings);
await move({ source, target: mortal(target), selection: { companyIds: [] }, progress: () => {} });
await target.close();
await source.close();
console.log(calls);

function mortal(immortal: TransferTarget): TransferTarget {
  return new Proxy(immortal, {
    get(methods, name: keyof TransferTarget & string) {
      const method = methods[name];
      if (!writing.has(name)) return method;
      return async (...given: unknown[]) => {
        calls++;
        const isLast = calls === call;
        if (isLast && when === 'before') die();
        const answering = (method as (...given: unknown[]) => Promise<unknown>).apply(methods, given);
        if (isLast && when === 'during') setImmediate(die);
        const answer = await answering;
        if (isLast) die();
        return answer;
      };
    },
  });
}

function die(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('It goes on after kill -9.');
}
