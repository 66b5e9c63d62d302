/**
 * Hostile clients of one company, on a service with little memory: it is not killed, answers 5xx only to say that it is
 * busy, and serves a client of another company at most three times as slowly as without them.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { allocatorVariables } from '../../bin/allocator.js';
import { Connection } from '../client/connection.ts';
import { postRequest } from '../client/messages.ts';
import { startChild } from '../machine/child.ts';
import { inScratch } from '../machine/scratch.ts';
import { percentile } from '../machine/statistics.ts';
import { memoryMib } from '../machine/usage.ts';
import { type Running, standBy } from '../service/process.ts';
import type { Space } from '../service/spaces.ts';
import type { Turns } from '../service/turn-meter.ts';
import { sqliteIn } from './folder.ts';
import type { Violation } from './history.ts';
import type { Suffered, Tally, Work } from './hostile/attackers.ts';
import { batch, definition } from './hostile/attacks.ts';
import { limitMemory, type MemoryLimit } from './hostile/memory-limit.ts';
import { beServed, type Work as Kind, type Served, works } from './hostile/neighbour.ts';
import type { Figure, Proof, Task } from './report.ts';

export interface HostileTask extends Task {
  readonly seconds: number;
  readonly clients: number;
  readonly memoryMib: number;
  /** Null: the times are only reported. */
  readonly slowerMax: number | null;
}

const mib = 1024 * 1024;
const neighbourRecords = 2_000;
const largeRecords = 50;
const largeBytes = 512 * 1024;
/** Without the others, the neighbour is measured for a quarter of the time. */
const aloneShare = 4;

export async function proveHostile(task: HostileTask): Promise<Proof> {
  const limit = limitMemory(task.memoryMib * mib);
  if (limit === null)
    task.progress('Memory could not be limited here: no cgroup may be made. The service is only told its size.');
  try {
    return await inScratch((folder) => proveIn(folder, task, limit));
  } finally {
    limit?.remove();
  }
}

async function proveIn(folder: string, task: HostileTask, limit: MemoryLimit | null): Promise<Proof> {
  const { seconds, memoryMib: sizeMib, progress } = task;
  const variables = allocatorVariables(sizeMib * mib);
  const ready = await standBy(limit === null ? { variables } : { variables, command: limit.command });
  const server = await ready.open(sqliteIn(folder), {
    spaces: 2,
    companies: 2,
    memoryBytes: sizeMib * mib,
  });
  try {
    const hostile = server.spaces[0] as Space;
    const neighbour = server.spaces[1] as Space;
    const records = await fill(server.port, hostile, neighbour);
    await server.turns();
    const alone = await served(server, neighbour, records, seconds / aloneShare);
    progress(`alone: ${timesOf(alone)}`);
    const turnsAlone = await server.turns();
    const peakBefore = memoryMib(server.pid, 'VmHWM');
    const attackers = await startAttackers({
      port: server.port,
      space: hostile,
      clients: task.clients,
      seed: task.seed,
    });
    const beside = await served(server, neighbour, records, seconds);
    const { tally, faults } = await attackers.stop();
    const turnsBeside = server.isAlive() ? await server.turns() : null;
    progress(`beside ${task.clients} hostile clients: ${timesOf(beside)}`);
    const isAlive = server.isAlive();
    const kills = limit?.kills() ?? 0;
    const violations: Violation[] = [
      ...[...faults, ...alone.faults, ...beside.faults].map((message) => ({
        rule: 'no fault is answered' as const,
        message,
      })),
      ...(isAlive && kills === 0
        ? []
        : [
            {
              rule: 'the service stays up' as const,
              message: `It ended, or was killed for want of memory (${kills}).`,
            },
          ]),
      ...slower(alone, beside, task.slowerMax),
    ];
    return {
      violations,
      figures: [
        ...memoryFigures(task, limit, server, peakBefore),
        ...timeFigures(alone, beside),
        ...(turnsBeside === null ? [] : turnFigures(turnsAlone, turnsBeside, tally)),
        ...tallyFigures(tally),
      ],
    };
  } finally {
    await server.kill();
  }
}

/** @returns the ids of the neighbour's records */
async function fill(port: number, hostile: Space, neighbour: Space): Promise<string[]> {
  const connection = new Connection(port);
  const send = async (bytes: Buffer) => {
    const { status, body } = await connection.exchange(bytes, 60_000);
    if (status !== 200) throw new Error(`The data could not be made: ${body.slice(0, 500)}`);
  };
  for (const space of [hostile, neighbour]) await send(postRequest(space, '/schemas', JSON.stringify(definition)));
  const ids = Array.from({ length: neighbourRecords }, (_, index) => `r${index}`);
  for (let from = 0; from < ids.length; from += 1_000) {
    await send(
      batch(
        neighbour,
        ids
          .slice(from, from + 1_000)
          .map((id, index) => `{"objectId":"${id}","label":"${id}","rank":${from + index}}`)
          .join(','),
      ),
    );
  }
  const note = 'Large '.repeat(largeBytes / 6);
  const extra = JSON.stringify({ n: 1, a: Array.from({ length: 1_000 }, () => ({ b: 'text' })) });
  for (let index = 0; index < largeRecords; index += 10) {
    await send(
      batch(
        hostile,
        Array.from({ length: 10 }, () => `{"label":"large","rank":${index},"note":"${note}","extra":${extra}}`).join(
          ',',
        ),
      ),
    );
  }
  connection.close();
  return ids;
}

async function served(server: Running, space: Space, records: readonly string[], seconds: number): Promise<Served> {
  const end = performance.now() + seconds * 1_000;
  return beServed(server.port, space, records, () => performance.now() > end || !server.isAlive());
}

async function startAttackers(work: Work): Promise<{ stop(): Promise<Suffered> }> {
  const child = await startChild(join(import.meta.dirname, 'hostile/attackers.ts'), []);
  await child.ask('attack', work);
  // Ensures that all of them are active when the neighbour's times are measured.
  await sleep(1_000);
  return {
    async stop() {
      const suffered = await child.ask<Suffered>('stop');
      await child.kill();
      return suffered;
    },
  };
}

function slower(alone: Served, beside: Served, max: number | null): Violation[] {
  if (max === null) return [];
  return works.flatMap((work) => {
    const ratio = percentile(beside.times[work], 0.99) / percentile(alone.times[work], 0.99);
    if (ratio <= max) return [];
    return [
      {
        rule: 'others are served' as const,
        message: `${work}: p99 is ${ratio.toFixed(1)} × that without hostile clients; at most ${max} × was expected.`,
      },
    ];
  });
}

const p = (served: Served, work: Kind, share: number) => percentile(served.times[work], share).toFixed(1);
const timesOf = (served: Served) =>
  works.map((work) => `${work} p50 ${p(served, work, 0.5)} p99 ${p(served, work, 0.99)} ms`).join(', ');

function timeFigures(alone: Served, beside: Served): Figure[] {
  return works
    .map((work) => {
      const ratio = percentile(beside.times[work], 0.99) / percentile(alone.times[work], 0.99);
      const value = `${p(alone, work, 0.99)} ms alone, ${p(beside, work, 0.99)} ms beside them, ${ratio.toFixed(1)} × (median ${p(alone, work, 0.5)} and ${p(beside, work, 0.5)} ms, of ${beside.times[work].length})`;
      return { name: `the neighbour's p99, ${work}`, value };
    })
    .concat({ name: 'answers to the neighbour that the service is busy', value: String(beside.busy) });
}

function turnFigures(alone: Turns, beside: Turns, tally: Tally): Figure[] {
  const told = ({ counts, longestMs }: Turns) =>
    `${Object.entries(counts)
      .map(([from, count]) => `${count} of ${from} ms`)
      .join(', ')}; the longest ${longestMs.toFixed(1)} ms`;
  const requests = Object.values(tally)
    .flatMap((counts) => Object.values(counts))
    .reduce((sum, count) => sum + count, 0);
  return [
    { name: 'long turns of the main thread, alone', value: told(alone) },
    { name: 'long turns beside them', value: `${told(beside)}; ${requests} hostile requests` },
  ];
}

function memoryFigures(task: HostileTask, limit: MemoryLimit | null, server: Running, before: number): Figure[] {
  const inGroup =
    limit === null
      ? 'not limited'
      : `${Math.round(limit.peakBytes() / mib)} with the pages of its files, ${limit.kills()} killed`;
  return [
    { name: 'hostile clients', value: task.clients },
    { name: 'memory, MiB', value: task.memoryMib },
    {
      name: 'most memory of the process, MiB',
      value: `${Math.round(memoryMib(server.pid, 'VmHWM'))} (${Math.round(before)} before them)`,
    },
    { name: 'most memory of the group, MiB', value: inGroup },
  ];
}

function tallyFigures(tally: Tally): Figure[] {
  return Object.entries(tally).map(([name, counts]) => ({
    name,
    value: Object.entries(counts)
      .map(([status, count]) => `${status === '0' ? 'no answer' : status}: ${count}`)
      .join(', '),
  }));
}
