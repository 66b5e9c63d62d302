/** A place for the data of a proof, made ready once by a server. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Settings } from '../../src/config.ts';
import { Connection } from '../client/connection.ts';
import { startServer } from '../service/process.ts';
import type { Space } from '../service/spaces.ts';
import { databaseInstallation, folderInstallation, type Installation } from './installation.ts';
import { defineRequest } from './service.ts';

/** One thread is enough for one data space, and starts sooner. */
export const proofSettings: Partial<Settings> = { writerThreads: 1, readerThreads: 1, stopIdleMs: 0 };

export interface Prepared {
  readonly installation: Installation;
  readonly spaces: readonly Space[];
}

/** The company, the data spaces and their table, from a server that was stopped in order. */
export async function prepare<In extends Pick<Installation, 'stored'>>(
  installation: In,
  spaceCount: number,
): Promise<{ readonly installation: In; readonly spaces: readonly Space[] }> {
  const server = await startServer(installation.stored, { spaces: spaceCount, settings: proofSettings });
  const connection = new Connection(server.port);
  for (const space of server.spaces) {
    const { status, body } = await connection.exchange(defineRequest(space), 30_000);
    if (status !== 200) throw new Error(`The table could not be defined: ${body}`);
  }
  connection.close();
  await server.stop();
  return { installation, spaces: server.spaces };
}

export async function copyOf({ installation, spaces }: Prepared, name: string): Promise<Prepared> {
  return { installation: await installation.copy(name), spaces };
}

/** Runs the work with a scratch folder, and removes it afterwards. */
export async function inScratch<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const scratch = mkdtempSync(join(tmpdir(), 'rowhouse-proof-'));
  try {
    return await work(scratch);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/**
 * Runs the work with an empty place, and removes it afterwards.
 * @param server address of a PostgreSQL server; without it, the place is a folder
 */
export async function inInstallation<T>(
  server: string | undefined,
  work: (installation: Installation) => Promise<T>,
): Promise<T> {
  if (server === undefined) return inScratch((scratch) => work(folderInstallation(join(scratch, 'data'))));
  const installation = await databaseInstallation(server);
  try {
    return await work(installation);
  } finally {
    await installation.remove();
  }
}
