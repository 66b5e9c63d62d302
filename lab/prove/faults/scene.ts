/**
 * The set-up for every fault: a running service with a data space to be damaged, an intact one, and an unopened one.
 */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { type Running, startServer } from '../../service/process.ts';
import type { Space } from '../../service/spaces.ts';
import { prepare, proofSettings, sqliteIn } from '../folder.ts';
import { Ledger, type Told } from './ledger.ts';

export interface Scene {
  readonly data: PreparedData;
  server: Running;
  harmed: Ledger;
  sound: Ledger;
  /** Records a sentence if the condition does not hold. */
  expect(condition: boolean, otherwise: string): void;
  /** Expects a refusal with its code and a message, without a path or a text of SQLite. */
  expectRefused(told: Told, operation: 'write' | 'read', when: string): void;
  /** Expects that both data spaces accept writes and have all acknowledged ones. */
  expectSound(when: string): Promise<void>;
  /** Expects that the intact data space accepts writes and has all acknowledged ones, and that the process runs. */
  expectOthersSound(when: string): Promise<void>;
  restart(): Promise<void>;
  /** Reads from a third data space, which is not opened before the first call. */
  readCold(): Promise<Told>;
}

export interface Fault {
  readonly name: string;
  /** @param folder for the data, on a separate disk if required */
  run(scene: Scene): Promise<void>;
  /** Creates the location for the data; returns a function that removes it. */
  readonly place?: (folder: string) => () => void;
}

export interface Outcome {
  readonly fault: string;
  readonly acknowledged: number;
  readonly failures: readonly string[];
}

/** Prepared data spaces, of which every fault gets a copy. */
export interface PreparedData {
  readonly folder: string;
  readonly spaces: readonly Space[];
}

/** Prepares them in this folder, once for all faults. */
export async function prepareData(folder: string): Promise<PreparedData> {
  return { folder, spaces: await prepare(sqliteIn(folder), 3) };
}

export async function tryFault(fault: Fault, prepared: PreparedData, folder: string): Promise<Outcome> {
  const failures: string[] = [];
  const remove = fault.place?.(folder);
  let scene: Scene | undefined;
  try {
    scene = await openScene(prepared, join(folder, 'data'), failures);
    await fault.run(scene);
  } catch (error) {
    failures.push(`It could not be carried through: ${error instanceof Error ? error.message : error}`);
  } finally {
    scene?.harmed.close();
    scene?.sound.close();
    await scene?.server.kill();
    remove?.();
  }
  const acknowledged = (scene?.harmed.acknowledged ?? 0) + (scene?.sound.acknowledged ?? 0);
  return { fault: fault.name, acknowledged, failures };
}

async function openScene(prepared: PreparedData, folder: string, failures: string[]): Promise<Scene> {
  cpSync(prepared.folder, folder, { recursive: true });
  const stored = sqliteIn(folder);
  const data: PreparedData = { folder, spaces: prepared.spaces };
  const server = await startServer(stored, { settings: proofSettings });
  const [first, second, third] = data.spaces;
  const expect = (condition: boolean, otherwise: string) => void (condition || failures.push(otherwise));
  const expectLedger = async (ledger: Ledger, when: string) => {
    const told = await ledger.add();
    expect(told.errCode === 0, `${when}: a write was answered ${replyText(told)}.`);
    for (const difference of await ledger.differences()) failures.push(`${when}: ${difference}`);
  };
  const scene: Scene = {
    data,
    server,
    harmed: new Ledger(server.port, first!, 'harmed'),
    sound: new Ledger(server.port, second!, 'sound'),
    expect,
    expectRefused(told, operation, when) {
      const code = operation === 'write' ? 210 : 212;
      const isClear = told.errCode === code && (told.status === 500 || told.status === 503);
      expect(isClear, `${when}: ${code} with HTTP 500 or 503 was expected; ${replyText(told)} came.`);
      expect(told.description.length >= 20, `${when}: the error says nothing: "${told.description}".`);
      const isFindable = told.status !== 500 || /request req-\w+\.$/.test(told.description);
      expect(isFindable, `${when}: the error does not say where the log has it: "${told.description}".`);
      expect(!/sqlite|\.db|\//i.test(told.description), `${when}: the error tells too much: "${told.description}".`);
    },
    async expectSound(when) {
      await expectLedger(scene.harmed, when);
      await scene.expectOthersSound(when);
    },
    async expectOthersSound(when) {
      expect(scene.server.isAlive(), `${when}: the process is gone.`);
      await expectLedger(scene.sound, when);
    },
    async restart() {
      await scene.server.kill();
      scene.server = await startServer(stored, { settings: proofSettings });
      scene.harmed = scene.harmed.after(scene.server.port);
      scene.sound = scene.sound.after(scene.server.port);
    },
    async readCold() {
      const cold = new Ledger(scene.server.port, third!, 'cold');
      return cold.read().finally(() => cold.close());
    },
  };
  for (let count = 0; count < 20; count++) for (const ledger of [scene.harmed, scene.sound]) await ledger.add();
  await scene.expectSound('before the fault');
  return scene;
}

export function replyText({ status, errCode, description }: Told): string {
  return `HTTP ${status}, errCode ${errCode}: ${description}`;
}
