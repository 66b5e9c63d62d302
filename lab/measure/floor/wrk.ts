/**
 * Sends the requests of a work to a server: with `wrk`, which needs little processor time, if it is installed;
 * otherwise with our own client.
 */
import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { httpRequest } from '../../client/messages.ts';
import { run } from '../load.ts';
import { numberMark, type Request } from './tasks.ts';

export interface Loaded {
  readonly perSecond: number;
  readonly requests: number;
}

export interface Load {
  readonly port: number;
  readonly token: string;
  readonly connections: number;
  readonly seconds: number;
  readonly requests: readonly Request[];
  /** Different for every run. */
  readonly run: string;
}

export type Loader = (load: Load) => Promise<Loaded>;

export const hasWrk = () => spawnSync('wrk', ['-v']).error === undefined;

export async function loadOurselves({ port, token, connections, seconds, requests, run: mark }: Load): Promise<Loaded> {
  const made = requests.map(({ method, path, body }) => ({ method, path, body }));
  const measured = await run({
    port,
    connections,
    warmUpMs: 0,
    measureMs: seconds * 1_000,
    request(sequence) {
      const { method, path, body } = made[sequence % made.length] as Request;
      return httpRequest(method, path, token, body.replace(numberMark, `${mark}-${sequence}`));
    },
  });
  if (measured.failures > 0)
    throw new Error(`${measured.failures} requests failed; the first: ${measured.firstFailure}`);
  return { perSecond: measured.perSecond, requests: measured.requests };
}

/** @param folder for the scripts of `wrk` */
export function wrkIn(folder: string): Loader {
  return async ({ port, token, connections, seconds, requests, run }) => {
    const script = join(folder, 'load.lua');
    writeFileSync(script, luaOf(requests, token, run));
    const flags = ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', script, `http://127.0.0.1:${port}`];
    const text = await outputOf('wrk', flags);
    const count = /(\d+) requests in/.exec(text)?.[1];
    const rate = /Requests\/sec:\s+([\d.]+)/.exec(text)?.[1];
    const wrong = /Non-2xx.*|Socket errors.*/.exec(text)?.[0];
    if (wrong !== undefined || count === undefined || rate === undefined) throw new Error(`wrk: ${wrong ?? text}`);
    return { perSecond: Number(rate), requests: Number(count) };
  };
}

/** Constant requests are built before the start, so that `wrk` has almost no work for each. */
function luaOf(requests: readonly Request[], token: string, run: string): string {
  const lines = requests.map(
    ({ method, path, body }) => `{"${method}", "${path}", ${body === '' ? 'nil' : `[[${body}]]`}},`,
  );
  const isSame = !requests.some(({ body }) => body.includes(numberMark));
  const next = isSame
    ? 'return made[sequence % #made + 1]'
    : `local r = requests[sequence % #requests + 1]
  return wrk.format(r[1], r[2], nil, (string.gsub(r[3], "${numberMark}", "${run}-" .. sequence)))`;
  return `local requests = {
${lines.join('\n')}
}
local made = {}
local sequence = 0
function init()
  wrk.headers["service-token"] = "${token}"
  wrk.headers["content-type"] = requests[1][3] and "application/json"
  ${isSame ? 'for i, r in ipairs(requests) do made[i] = wrk.format(r[1], r[2], nil, r[3]) end' : ''}
end
function request()
  sequence = sequence + 1
  ${next}
end
`;
}

function outputOf(command: string, flags: readonly string[]): Promise<string> {
  const child = spawn(command, flags, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  return new Promise((resolve, reject) => child.once('error', reject).once('close', () => resolve(text)));
}
