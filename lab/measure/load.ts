/**
 * A load generator on bare persistent connections, with one request under way on each. It shares the machine with the
 * server under test, so it does as little as possible per request (an HTTP library would cost more than the server).
 */
import { Connection } from '../client/connection.ts';
import { median, percentile } from '../machine/statistics.ts';

export interface Load {
  readonly port: number;
  readonly connections: number;
  /** Milliseconds. */
  readonly warmUpMs: number;
  readonly measureMs: number;
  /** Ends the run after this many requests, if they come before its time is over. */
  readonly requestsMax?: number;
  /** The bytes of the n-th request of a run, which is sent on the given connection; called once per request. */
  request(sequence: number, connection: number): Buffer | string;
  /** Called with each answer, if the connection's next request depends on it. */
  answered?(connection: number, text: string): void;
  /** Whether an answer is as expected; by default, one with status 200 or 201 is. */
  isRight?(text: string): boolean;
}

export interface Measured {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly requests: number;
  /** Number of unexpected answers, and the text of the first one. */
  readonly failures: number;
  readonly firstFailure: string | null;
}

/** After this long without an answer, a server counts as hung. */
const answerTimeMs = 120_000;

/** `HTTP/1.1 200` or `201` */
const isOk = (bytes: Buffer) => bytes[9] === 50 && bytes[10] === 48 && (bytes[11] === 48 || bytes[11] === 49);

export async function run(load: Load): Promise<Measured> {
  const latencies: number[] = [];
  const all: number[] = [];
  let sequence = 0;
  let failures = 0;
  let firstFailure: string | null = null;
  const start = performance.now();
  const from = start + load.warmUpMs;
  const until = from + load.measureMs;

  const worker = async (_: unknown, number: number) => {
    const connection = new Connection(load.port);
    for (;;) {
      const sent = performance.now();
      if (sent >= until || sequence >= (load.requestsMax ?? Number.POSITIVE_INFINITY)) break;
      const reply = await connection.exchange(load.request(sequence++, number), answerTimeMs);
      const done = performance.now();
      load.answered?.(number, reply.text);
      if (!(load.isRight?.(reply.text) ?? isOk(reply.bytes))) {
        failures++;
        firstFailure ??= reply.text;
      }
      all.push(done - sent);
      if (sent >= from && done <= until) latencies.push(done - sent);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: load.connections }, worker));

  // If a server takes seconds for an answer, the figures are those of all answers and of the total time.
  if (latencies.length < few) return measuredOf(all, performance.now() - start, failures, firstFailure);
  return measuredOf(latencies, load.measureMs, failures, firstFailure);
}

/** @throws Error for an unexpected answer, because the measurement would then be meaningless */
export async function runRight(load: Load): Promise<Measured> {
  const measured = await run(load);
  const { failures, firstFailure } = measured;
  if (failures > 0)
    throw new Error(`${failures} requests were not answered as they must be; the first: ${firstFailure}`);
  return measured;
}

export type Medians = Pick<Measured, 'perSecond' | 'p50' | 'p99'>;

/** The median of each figure separately: the round with the median p50 may have any p99. */
export function mediansOf(rounds: readonly Measured[]): Medians {
  const of = (figure: keyof Medians) => median(rounds.map((measured) => measured[figure]));
  return { perSecond: of('perSecond'), p50: of('p50'), p99: of('p99') };
}

/** Fewer answers than this within the measuring time give no reliable rate. */
const few = 20;

function measuredOf(latencies: number[], tookMs: number, failures: number, firstFailure: string | null): Measured {
  const at = (share: number) => percentile(latencies, share);
  const perSecond = latencies.length / (tookMs / 1000);
  return { perSecond, p50: at(0.5), p99: at(0.99), requests: latencies.length, failures, firstFailure };
}
