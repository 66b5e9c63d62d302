/** Checks that every part of the storage responds; the error names those that do not, with their messages. */
import { ServiceError } from '../errors.ts';
import type { NodeFault } from './cluster.ts';

export interface Part {
  /** Worded as the subject of a sentence: "The disk of the data folder". */
  readonly name: string;
  answer(): Promise<unknown>;
}

/** @throws ServiceError `busy`, which names every part that failed or did not respond in time */
export async function assertAnswering(parts: readonly Part[], timeMs: number): Promise<void> {
  const failures = (await Promise.all(parts.map((part) => failureOf(part, timeMs)))).filter((one) => one !== null);
  if (failures.length === 0) return;
  throw new ServiceError('busy', failures.map(({ told }) => told).join(' '), {
    status: 503,
    retryAfterSeconds: 1,
    cause: failures[0]?.cause,
  });
}

/** Checked at the start. @throws Error which names every node where a write might be lost, and the remedy */
export function requireSafeNodes(faults: readonly NodeFault[]): void {
  const unsafe = faults.filter(({ kind }) => kind === 'unsafe');
  if (unsafe.length > 0) throw new Error(unsafe.map(({ told }) => told).join(' '));
}

async function failureOf(part: Part, timeMs: number): Promise<{ told: string; cause?: unknown } | null> {
  const { promise: late, resolve } = Promise.withResolvers<'late'>();
  const timer = timeMs === Number.POSITIVE_INFINITY ? undefined : setTimeout(resolve, timeMs, 'late');
  try {
    const first = await Promise.race([part.answer(), late]);
    return first === 'late' ? { told: `${part.name} has not answered for ${timeMs} ms.` } : null;
  } catch (cause) {
    return {
      told: `${part.name} failed: ${cause instanceof ServiceError ? cause.message : 'the log has the cause.'}`,
      cause,
    };
  } finally {
    clearTimeout(timer);
  }
}
