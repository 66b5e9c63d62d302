/**
 * The clients that fetch large results, in a separate process, so that reading them does not disturb the measurement.
 */
import { type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { carryOut } from '../machine/child.ts';

export interface Load {
  readonly port: number;
  readonly path: string;
  readonly token: string;
  readonly body: string;
  readonly clients: number;
}

export interface Taken {
  whole: number;
  busy: number;
}

const retryAfterMs = 1_000;
const taken: Taken = { whole: 0, busy: 0 };

carryOut({
  /** Resolves when the first answer begins. */
  begin: (load: Load) => Promise.race(Array.from({ length: load.clients }, () => startClient(load))),
  taken: () => taken,
});

/** A client that gets a "busy" answer tries again later. */
async function startClient(load: Load): Promise<void> {
  const first = await answerTo(load);
  void (async () => {
    for (let answer = first; ; answer = await answerTo(load)) await take(answer);
  })();
}

function answerTo({ port, path, token, body }: Load): Promise<IncomingMessage> {
  const length = Buffer.byteLength(body);
  const headers = { 'service-token': token, 'content-type': 'application/json', 'content-length': length };
  return new Promise((resolve, reject) => {
    request({ port, path, method: 'POST', headers, agent: false }, resolve).on('error', reject).end(body);
  });
}

/** @throws Error, which ends the process, for an answer that is truncated or unexpected */
async function take(answer: IncomingMessage): Promise<void> {
  let bytes = 0;
  for await (const chunk of answer) bytes += (chunk as Buffer).length;
  if (answer.statusCode === 200) {
    if (bytes !== Number(answer.headers['content-length'])) throw new Error('An answer was cut.');
    taken.whole++;
  } else if (answer.statusCode === 503) {
    taken.busy++;
    await sleep(retryAfterMs);
  } else throw new Error(`A large result answered ${answer.statusCode}.`);
}
