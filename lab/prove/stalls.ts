/**
 * Requests designed to block the main thread, one after another, on an otherwise idle service: the longest turn of its
 * event loop, in processor time, stays within a bound, so that no other request waits longer.
 */
import { Connection } from '../client/connection.ts';
import { postRequest } from '../client/messages.ts';
import { type Running, startServer } from '../service/process.ts';
import type { Space } from '../service/spaces.ts';
import { inStorage } from './folder.ts';
import type { Violation } from './history.ts';
import type { Figure, Proof, Task } from './report.ts';
import { type Shape, shapesOn, stallDefinition } from './stalls/shapes.ts';

export interface StallsTask extends Task {
  /** Null: the turns are only reported. */
  readonly boundMs: number | null;
  /** How often each shape is sent; the longest turn of all counts. */
  readonly times: number;
  /** The shapes to send; all by default. */
  readonly names?: readonly string[];
}

const timeoutMs = 60_000;

export function proveStalls(task: StallsTask): Promise<Proof> {
  return inStorage(task.server, async (scratch) => {
    const server = await startServer(scratch.settings, { spaces: 1 });
    try {
      return await proveOn(server, task);
    } finally {
      await server.kill();
    }
  });
}

async function proveOn(server: Running, { boundMs, times, names, progress }: StallsTask): Promise<Proof> {
  const space = server.spaces[0] as Space;
  const defined = await send(server, postRequest(space, '/schemas', JSON.stringify(stallDefinition)));
  if (defined !== 200) throw new Error(`The tables could not be defined: ${defined} was answered.`);
  const figures: Figure[] = [];
  const violations: Violation[] = [];
  for (const shape of shapesOn(space)) {
    if (names !== undefined && !names.includes(shape.name)) continue;
    const { longestMs, statuses } = await measure(server, shape, times);
    const value = `${longestMs.toFixed(1)} ms (answered ${[...statuses].join(', ')})`;
    figures.push({ name: shape.name, value });
    progress(`${shape.name}: ${value}`);
    if (boundMs !== null && longestMs > boundMs) {
      const message = `${shape.name}: a turn of ${longestMs.toFixed(1)} ms; at most ${boundMs} ms was expected.`;
      violations.push({ rule: 'nobody is held up', message });
    }
    for (const status of statuses) {
      if (status >= 500 && status !== 503)
        violations.push({ rule: 'no fault is answered', message: `${shape.name}: ${status} was answered.` });
    }
  }
  return { figures, violations };
}

async function measure(server: Running, { bytes, atOnce }: Shape, times: number) {
  const statuses = new Set<number>();
  await server.turns();
  for (let time = 0; time < times; time++) {
    for (const status of await Promise.all(Array.from({ length: atOnce }, () => send(server, bytes))))
      statuses.add(status);
  }
  return { longestMs: (await server.turns()).longestMs, statuses };
}

async function send({ port }: Running, bytes: Buffer): Promise<number> {
  const connection = new Connection(port);
  try {
    return (await connection.exchange(bytes, timeoutMs)).status;
  } finally {
    connection.close();
  }
}
