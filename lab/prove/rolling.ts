/**
 * Two instances on one database of PostgreSQL, stopped and started again in turn under load, by clients that do as load
 * balancers do: they ask /readyz, and send again what was refused. No answer is outside the interface, none is lost.
 */
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { startServer } from '../service/process.ts';
import type { Space } from '../service/spaces.ts';
import { inSharedStorage, prepare, proofSettings } from './folder.ts';
import type { Violation } from './history.ts';
import { differences, look } from './installation.ts';
import type { Proof, Task } from './report.ts';
import { tableName } from './service.ts';

const clients = 16;
const lookEveryMs = 40;
const settings = { ...proofSettings, stopNoticeMs: 200, stopIdleMs: 500 };

export function proveRolling({ server, cycles, progress }: Task & { readonly cycles: number }): Promise<Proof> {
  return inSharedStorage(server, async (scratch) => {
    const { storage } = scratch.settings;
    const [space] = (await prepare(scratch.settings, 1)) as [Space];
    const { prefix, token } = space;
    const start = () => startServer(scratch.settings, { settings });
    const running = await Promise.all([start(), start()]);
    const isReady = [true, true];
    const agent = new http.Agent({ keepAlive: true });
    const counts = { answered: 0, refused: 0 };
    const violations: Violation[] = [];
    const violate = (message: string) => void violations.push({ rule: 'every request is settled', message });
    let sent = 0;
    let isOver = false;

    /** @returns whether it was answered; else it has to be sent again */
    function send(port: number, id: string): Promise<boolean> {
      const body = JSON.stringify({ transactionId: id, objectName: tableName, data: [{ mark: id }] });
      const headers = { 'service-token': token, 'content-type': 'application/json' };
      const path = `${prefix}/data/batch/addData`;
      return new Promise((resolve) => {
        const asked = http.request(
          { agent, host: '127.0.0.1', port, method: 'POST', path, headers },
          async (response) => {
            const text = (await response.toArray()).join('');
            const isDone = response.statusCode === 200 && text.startsWith('{"errCode":0,');
            const isBusy = response.statusCode === 503 && text.startsWith('{"errCode":210,');
            if (isDone) counts.answered++;
            else if (isBusy && response.headers['retry-after'] !== undefined) counts.refused++;
            else violate(`An answer outside the interface: ${response.statusCode} ${text}`);
            resolve(isDone);
          },
        );
        asked.on('error', (error: NodeJS.ErrnoException) => {
          if (error.code === 'ECONNREFUSED') counts.refused++;
          else violate(`A request that had begun was lost: ${error.code} ${error.message}`);
          resolve(false);
        });
        asked.end(body);
      });
    }

    async function client(own: number): Promise<void> {
      while (!isOver) {
        const id = `rolling-${sent++}`;
        while (!(await send(running[isReady[own] ? own : 1 - own]!.port, id)) && violations.length === 0);
      }
    }

    const looking = setInterval(async () => {
      for (const index of [0, 1]) {
        const answer = await fetch(`http://127.0.0.1:${running[index]!.port}/readyz`).catch(() => null);
        isReady[index] = answer?.status === 200;
      }
    }, lookEveryMs);
    const all = Promise.all(Array.from({ length: clients }, (_, number) => client(number % 2)));
    for (let cycle = 0; cycle < cycles; cycle++) {
      await running[cycle % 2]!.stop();
      running[cycle % 2] = await start();
      await sleep(lookEveryMs * 5);
      progress(`${cycle + 1} restarts, ${counts.answered} answers, ${violations.length} violations`);
    }
    isOver = true;
    await all;
    clearInterval(looking);
    agent.destroy();
    await Promise.all(running.map((instance) => instance.stop()));
    const found = await look(storage, space);
    const answered = { records: counts.answered, transactions: counts.answered };
    for (const message of differences(found, answered)) violations.push({ rule: 'at most once', message });
    const figures = [
      { name: 'restarts', value: cycles },
      { name: 'batches answered', value: counts.answered },
      { name: 'refused as busy or without a connection, and sent again', value: counts.refused },
    ];
    return { violations, figures };
  });
}
