/**
 * Queries a service for random rows and groups, and compares each answer with the oracles' (`rows-oracle.ts`,
 * `groups-oracle.ts`).
 */
import { seeded } from '../machine/random.ts';
import { type Question, randomQuestion, randomSale, recordOf, type Sale } from './groups-oracle.ts';
import { randomRowsQuestion } from './rows-oracle.ts';

/** The service under test. */
export interface Asked {
  /** Replaces the rows. */
  fill(records: readonly Record<string, unknown>[]): Promise<void>;
  /** The rows of the answer, over all pages, by engine. */
  ask(question: Question): Promise<Readonly<Record<string, readonly unknown[]>>>;
}

export interface OracleDifference {
  readonly round: number;
  readonly question: Question;
  readonly engine: string;
  readonly answer: string;
}

export interface OracleOptions {
  readonly seed: number;
  readonly cases: number;
  /** The first round, from 0. */
  readonly round?: number;
  readonly differencesMax?: number;
  readonly progress?: (cases: number, differences: number) => void;
}

const casesEach = 100;
const rowsMax = 60;
/** The share of queries about rows instead of groups. */
const rowsShare = 0.35;
/** Queries under way at once. */
const lanes = 4;

/** A round depends only on the seed and its number, so that it can be repeated alone. */
export async function askOracle(service: Asked, options: OracleOptions): Promise<readonly OracleDifference[]> {
  const { seed, cases, round: first = 0, differencesMax = 10, progress = () => {} } = options;
  const differences: OracleDifference[] = [];
  for (let round = first, done = 0; done < cases && differences.length < differencesMax; round++) {
    const random = seeded(seed, round);
    const sales = random.times(random.below(rowsMax), (): Sale => randomSale(random));
    await service.fill(sales.map(recordOf));
    const questions = random.times(Math.min(casesEach, cases - done), () =>
      random.chance(rowsShare) ? randomRowsQuestion(sales, random) : randomQuestion(sales, random),
    );
    done += questions.length;
    const lane = async () => {
      for (let question = questions.pop(); question !== undefined; question = questions.pop()) {
        for (const [engine, rows] of Object.entries(await service.ask(question))) {
          const answer = JSON.stringify(rows);
          if (answer !== JSON.stringify(question.rows)) differences.push({ round, question, engine, answer });
        }
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    progress(done, differences.length);
  }
  return differences;
}

/** For people. */
export function describe({ round, question, engine, answer }: OracleDifference, seed: number): string {
  return [
    `Round ${round} (--seed ${seed} --round ${round})`,
    `  ${JSON.stringify(question.body)}`,
    `  expected  ${JSON.stringify(question.rows).slice(0, 2_000)}`,
    `  ${engine.padEnd(9)} ${answer.slice(0, 2_000)}`,
  ].join('\n');
}
