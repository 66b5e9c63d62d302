/**
 * `npm run compare:writes`: sends random puts and batches of several tables to a service on each engine, and exits with
 * 1 if an answer, or the stored data, differ from a small model of the rules.
 */
import { endWith, readFlags, seed as seedFlag, whole } from '../machine/command.ts';
import { type Caller, callers, startPair } from '../questions/services.ts';
import { definitions } from './batches.ts';
import { checkWrites, nothing, type Tally } from './check.ts';
import type { Writer } from './model.ts';

const { batches, seed, round } = readFlags(
  'Usage: npm run compare:writes -- [flags]\nCompares random batches with a model, on both engines; a PostgreSQL server is started for the time.',
  {
    batches: whole(100_000, 'how many batches each engine gets'),
    seed: seedFlag(),
    round: whole(0, 'begins at that round of the seed'),
  },
);

/** Batches on the same tables, which are then recreated. */
const roundBatches = 250;

await endWith(async () => {
  console.log(`Seed ${seed}: ${batches} batches on each engine.`);
  const pair = await startPair();
  const shown = new Map<string, string>();
  let printedAt = performance.now();
  try {
    const failures = await Promise.all(
      pair.services.map(async (service, index) => {
        const engine = ['SQLite', 'PostgreSQL'][index] as string;
        const writers = callers.map((caller) => {
          return [caller, { userId: service.userIdOf(caller), groupIds: pair.groupsOf(caller) }] as const;
        });
        const post = (caller: (typeof callers)[number], path: string, body: object) => {
          return service.ask(caller, { method: 'POST', path, body });
        };
        const checked = {
          post,
          writers: Object.fromEntries(writers) as Record<Caller, Writer>,
          foreignGroup: 1_000_000,
        };
        let sum = nothing;
        try {
          for (let at = round; sum.batches < batches; at++) {
            await post('alice', 'schemas', { isResetDatabase: true, tables: definitions });
            const left = batches - sum.batches;
            const tally = await checkWrites(checked, { seed, round: at, batches: Math.min(left, roundBatches) });
            sum = added(sum, tally);
            show(engine, sum);
          }
          console.log(`${engine}: ${line(sum)}: 0 differences.`);
          return 0;
        } catch (error) {
          console.log(`${engine}: ${(error as Error).message}`);
          return 1;
        }
      }),
    );
    return Math.max(...failures);
  } finally {
    await pair.close();
  }

  function show(engine: string, tally: Readonly<Tally>): void {
    shown.set(engine, `${engine}: ${tally.batches} of ${batches}`);
    if (performance.now() - printedAt < 10_000) return;
    printedAt = performance.now();
    console.log([...shown.values()].join(', '));
  }
});

function added(one: Readonly<Tally>, other: Readonly<Tally>): Tally {
  const names = Object.keys(one) as (keyof Tally)[];
  return Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) as unknown as Tally;
}

function line({ batches: sent, items, refused, replays, added, updated, comparisons }: Tally): string {
  const puts = `puts added ${added} and updated ${updated}`;
  return `${sent} batches of ${items} items (${refused} refused, ${puts}), ${replays} replays, all stored compared ${comparisons} times`;
}
