/**
 * Two instances on one PostgreSQL database are stopped and started again in turn under load. Their clients act like
 * load balancers: they check /readyz, and repeat refused requests. Every answer conforms to the interface, and none is
 * lost. A delayed client may still use an instance after its notice; no server can answer a connection that arrives as
 * it stops listening, or a request that arrives as it closes an idle connection. These are counted and sent again.
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
const stopIdleMs = 500;
/** For each instance: one gives notice, the other stops without notice. */
const stopNotices = [200, 0];

export function proveRolling({ server, cycles, progress }: Task & { readonly cycles: number }): Promise<Proof> {
  return inSharedStorage(server, async (scratch) => {
    const { storage } = scratch.settings;
    const [space] = (await prepare(scratch.settings, 1)) as [Space];
    const { prefix, token } = space;
    const start = (index: number) => {
      const settings = { ...proofSettings, stopNoticeMs: stopNotices[index]!, stopIdleMs };
      return startServer(scratch.settings, { settings });
    };
    const running = await Promise.all([start(0), start(1)]);
    const isReady = [true, true];
    const agent = new http.Agent({ keepAlive: true });
    const counts = { answered: 0, refused: 0, late: 0 };
    /** By port, the latest end of the notice of a stopping instance. */
    const noticeEnds = new Map<number, number>();
    const violations: Violation[] = [];
    const violate = (message: string) => void violations.push({ rule: 'every request is settled', message });
    let sent = 0;
    let isOver = false;

    /** @returns whether it was answered; otherwise it must be sent again */
    function send(port: number, id: string): Promise<boolean> {
      const body = JSON.stringify({ transactionId: id, objectName: tableName, data: [{ mark: id }] });
      const headers = { 'service-token': token, 'content-type': 'application/json' };
      const path = `${prefix}/data/batch/addData`;
      return new Promise((resolve) => {
        const sinceNoticeMs = performance.now() - (noticeEnds.get(port) ?? Infinity);
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
          else if (sinceNoticeMs > (asked.reusedSocket ? stopIdleMs : 0)) counts.late++;
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
      const index = cycle % 2;
      const leaving = running[index]!;
      noticeEnds.set(leaving.port, performance.now() + stopNotices[index]!);
      await leaving.stop();
      const next = await start(index);
      noticeEnds.delete(next.port);
      running[index] = next;
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
      { name: 'sent after the notice was over, and sent again', value: counts.late },
    ];
    return { violations, figures };
  });
}
