/** Files that disappear or are damaged under a running service. */
import { closeSync, copyFileSync, openSync, renameSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathOf } from '../../../src/storage/sqlite/folder.ts';
import { startServer } from '../../service/process.ts';
import { sqliteIn } from '../folder.ts';
import type { Fault, Scene } from './scene.ts';

const pathOfHarmed = ({ data }: Scene) => pathOf(data.folder, data.spaces[0]!.spaceId);

export const removedFile: Fault = {
  name: 'file removed',
  async run(scene) {
    const path = pathOfHarmed(scene);
    for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
    for (let count = 0; count < 5; count++) scene.expectRefused(await scene.harmed.add(), 'write', 'removed');
    await scene.expectOthersSound('removed');
    await scene.restart();
    scene.expectRefused(await scene.harmed.add(), 'write', 'removed, after a restart');
    scene.expectRefused(await scene.harmed.read(), 'read', 'removed, after a restart');
    await scene.expectOthersSound('removed, after a restart');
  },
};

export const replacedFile: Fault = {
  name: 'file replaced by a copy',
  async run(scene) {
    const path = pathOfHarmed(scene);
    moveLogIntoFile(path);
    copyFileSync(path, `${path}.copy`);
    for (const end of ['-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
    renameSync(`${path}.copy`, path);
    scene.expectRefused(await scene.harmed.add(), 'write', 'at the first write after it was replaced');
    await scene.restart();
    await scene.expectSound('after a restart');
  },
};

export const removedDirectory: Fault = {
  name: 'directory removed',
  async run(scene) {
    await scene.server.kill();
    const path = pathOf(scene.data.folder, 'directory');
    const kept = join(scene.data.folder, 'kept.db');
    moveLogIntoFile(path);
    renameSync(path, kept);
    const started = await startServer(sqliteIn(scene.data.folder)).catch((error: Error) => error);
    if (!(started instanceof Error)) await started.kill();
    const isRefused = started instanceof Error && started.message.includes('directory.db');
    // A new directory would number its data spaces from 1 again, and so open those of other companies.
    scene.expect(isRefused, `Without directory.db, beside data spaces: ${isRefused ? '' : describe(started)}`);
    for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
    renameSync(kept, path);
    await scene.restart();
    await scene.expectSound('with its directory again');
  },
};

function describe(started: unknown): string {
  return started instanceof Error ? started.message : 'the server started.';
}

/** @param harm damages the file */
function damaged(name: string, harm: (path: string) => void): Fault {
  return {
    name,
    async run(scene) {
      const path = pathOfHarmed(scene);
      moveLogIntoFile(path);
      harm(path);
      // The service may have the data in memory for a while, so no particular answer is expected; only that it keeps
      // running.
      for (let count = 0; count < 5; count++) {
        const { status } = await scene.harmed.add();
        scene.expect(status !== 0, `${name}: a write was not answered.`);
        scene.expect((await scene.harmed.read()).status !== 0, `${name}: a read was not answered.`);
      }
      await scene.expectOthersSound(name);
      await scene.server.kill();
      // Later writes are in the log, so a restored damaged file must be without it.
      for (const end of ['-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
      harm(path);
      await scene.restart();
      for (let count = 0; count < 3; count++) {
        scene.expectRefused(await scene.harmed.add(), 'write', `${name}, after a restart`);
        scene.expectRefused(await scene.harmed.read(), 'read', `${name}, after a restart`);
      }
      await scene.expectOthersSound(`${name}, after a restart`);
    },
  };
}

export const truncatedFile = damaged('file truncated to nothing', (path) => truncateSync(path, 0));

export const halvedFile = damaged('file cut in half', (path) =>
  truncateSync(path, Math.floor(statSync(path).size / 2)),
);

export const overwrittenFile = damaged('file overwritten', (path) => {
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(statSync(path).size, 0xa5), 0);
  closeSync(file);
});

export const corruptedPages = damaged('pages overwritten', (path) => {
  const file = openSync(path, 'r+');
  const page = 4_096;
  for (let at = page; at < statSync(path).size; at += page) writeSync(file, Buffer.alloc(page, 0x5a), 0, page, at);
  closeSync(file);
});

/** Moves everything committed into the file itself. */
function moveLogIntoFile(path: string): void {
  const db = new DatabaseSync(path, { timeout: 30_000 });
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
}
