/** A full disk, files that may not grow, a read-only folder. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startServer } from '../../service/process.ts';
import { sqliteIn } from '../folder.ts';
import { integrityErrors } from '../installation.ts';
import { fillDisk, limitFileSize, makeReadOnly, mountSmallDisk, unmount } from './machine.ts';
import { type Fault, replyText, type Scene } from './scene.ts';

const mib = 1024 * 1024;
const recordBytes = 20_000;
const writesMax = 1_000;

interface DiskSpace {
  /** Takes the remaining space, which is too little for a write but may suffice to open a file. */
  readonly takeRest: () => void;
  /** Gives everything back. */
  readonly give: () => void;
}

/**
 * Writes until it is refused, continues while the disk is full, frees space, and checks that everything works again.
 */
async function exhaust(scene: Scene, { takeRest, give }: DiskSpace): Promise<void> {
  let told = await scene.harmed.add(recordBytes);
  for (let count = 0; told.errCode === 0 && count < writesMax; count++) told = await scene.harmed.add(recordBytes);
  scene.expectRefused(told, 'write', 'on a full disk');
  for (let count = 0; count < 30; count++) {
    const again = await scene.harmed.add(recordBytes);
    if (again.errCode !== 0) scene.expectRefused(again, 'write', 'still on a full disk');
  }
  scene.expect((await scene.harmed.read()).status === 200, 'on a full disk: what is there could not be read.');
  for (const difference of await scene.harmed.differences()) scene.expect(false, `on a full disk: ${difference}`);
  takeRest();
  const cold = await scene.readCold();
  const isPostponed = cold.status === 503 && cold.retryAfter !== undefined && cold.errCode === 212;
  scene.expect(isPostponed, `on a full disk: a data space that was not open was answered ${replyText(cold)}.`);
  scene.expect(scene.server.isAlive(), 'on a full disk: the process is gone.');
  give();
  const again = await scene.readCold();
  scene.expect(
    again.status === 200,
    `with space again: a data space that was not open was answered ${replyText(again)}.`,
  );
  await scene.expectSound('with space again, without a restart');
  await scene.restart();
  await scene.expectSound('after a restart');
  for (const space of scene.data.spaces) {
    const errors = await integrityErrors(sqliteIn(scene.data.folder).storage, space);
    for (const error of errors) scene.expect(false, `integrity_check: ${error}`);
  }
}

const isSmallDisk = new Set<string>();

export const fullDisk: Fault = {
  name: 'full disk',
  place(folder) {
    if (!mountSmallDisk(folder, 24 * mib)) {
      mkdirSync(folder, { recursive: true });
      return () => {};
    }
    isSmallDisk.add(folder);
    return () => unmount(folder);
  },
  async run(scene) {
    const disk = join(scene.data.folder, '..');
    // Without the right to mount a disk, limits every file to this size, which looks to the program like a full disk.
    if (!isSmallDisk.has(disk)) return fileSizeLimit.run(scene);
    const give = fillDisk(disk, mib);
    await exhaust(scene, { takeRest: () => void fillDisk(disk, 0), give });
  },
};

export const fileSizeLimit: Fault = {
  name: 'files may not grow',
  async run(scene) {
    const limit = (bytes: number | null) => limitFileSize(scene.server.pid, bytes);
    limit(mib);
    await exhaust(scene, { takeRest: () => limit(0), give: () => limit(null) });
  },
};

export const readOnlyFolder: Fault = {
  name: 'read-only folder',
  async run(scene) {
    const spaces = join(scene.data.folder, 'spaces');
    await scene.server.kill();
    const giveAll = makeReadOnly(scene.data.folder);
    try {
      const started = await startServer(sqliteIn(scene.data.folder)).catch((error: Error) => error);
      if (!(started instanceof Error)) await started.kill();
      scene.expect(started instanceof Error, 'A server started on a read-only folder.');
    } finally {
      giveAll();
    }
    // Before the start, because a data space opened for writing stays writable.
    const give = makeReadOnly(spaces);
    try {
      await scene.restart();
      scene.expectRefused(await scene.harmed.add(), 'write', 'read-only');
      scene.expectRefused(await scene.harmed.add(), 'write', 'read-only, again');
      scene.expect(scene.server.isAlive(), 'read-only: the process is gone.');
    } finally {
      give();
    }
    await scene.expectSound('writable again, without a restart');
    await scene.restart();
    await scene.expectSound('after a restart');
  },
};
