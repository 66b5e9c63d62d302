/** Counts the outcomes of all requests, and keeps unexpected ones. */
import { percentile } from '../machine/statistics.ts';

export interface Outcome {
  readonly operation: string;
  readonly status: number;
  readonly code: number;
  readonly milliseconds: number;
}

export interface Latency {
  readonly requests: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

const unexpectedMax = 100;
const latenciesMax = 20_000;

export class Tally {
  readonly answers: Record<string, number> = {};
  readonly misbehaviour: Record<string, number> = {};
  readonly unexpected: string[] = [];
  unexpectedCount = 0;
  lostInRestarts = 0;
  requests = 0;
  readonly #latencies = new Map<string, number[]>();

  count({ operation, status, code, milliseconds }: Outcome): void {
    this.requests++;
    const name = `${status}/${code}`;
    this.answers[name] = (this.answers[name] ?? 0) + 1;
    const latencies = this.#latencies.get(operation) ?? [];
    this.#latencies.set(operation, latencies);
    // Beyond that number a new value replaces an old one, so that memory stays bounded.
    if (latencies.length < latenciesMax) latencies.push(milliseconds);
    else latencies[this.requests % latenciesMax] = milliseconds;
  }

  misbehaved(how: string): void {
    this.misbehaviour[how] = (this.misbehaviour[how] ?? 0) + 1;
  }

  note(text: string): void {
    this.unexpectedCount++;
    if (this.unexpected.length < unexpectedMax) this.unexpected.push(text.slice(0, 500));
  }

  latencies(): Record<string, Latency> {
    const entries = [...this.#latencies].map(([operation, values]) => {
      const at = (share: number) => percentile(values, share);
      return [operation, { requests: values.length, p50: at(0.5), p99: at(0.99), max: at(1) }] as const;
    });
    return Object.fromEntries(entries.toSorted(([a], [b]) => a.localeCompare(b)));
  }
}
