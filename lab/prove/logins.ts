/**
 * One code, many logins: in every round a person signs in at a real provider, and the code is sent to Login many times at
 * the same moment, over several instances on PostgreSQL. Exactly one may lead in, and only its token may exist.
 */
import { hash } from 'node:crypto';
import { Agent } from 'node:http';
import { pino } from 'pino';
import { defaults } from '../../src/config.ts';
import { demoAccounts } from '../../src/demo/provider.ts';
import { demoNames, signInAtProvider } from '../../src/demo/sign-in.ts';
import { type Rowhouse, startRowhouse } from '../../src/main.ts';
import { exchange } from '../client/messages.ts';
import { seeded } from '../machine/random.ts';
import type { Scratch } from '../machine/scratch.ts';
import { median } from '../machine/statistics.ts';
import type { Violation } from './history.ts';
import { withStorage } from './instances.ts';
import { countsByRule, type Proof, type Task } from './report.ts';

export interface LoginsTask extends Task {
  readonly rounds: number;
  readonly instances: number;
}

/** Logins with one code. */
export const loginsAtOnce = 100;

const settings = { ...defaults, port: 0, attemptLimits: false, writerThreads: 1, readerThreads: 1 };
const prefix = `/api/1/${demoNames.appId}/${demoNames.appVersion.replaceAll('.', '_')}`;
/** The people of company 1. */
const people = demoAccounts.map(({ login }) => login).filter((login) => login !== 'dave');

export function proveLogins(task: LoginsTask): Promise<Proof> {
  return withStorage(task, (scratch) => proveIn(scratch, task));
}

async function proveIn(scratch: Scratch, task: LoginsTask): Promise<Proof> {
  const { instances: count } = task;
  const instances: Rowhouse[] = [];
  const agent = new Agent({ keepAlive: true, maxSockets: loginsAtOnce });
  try {
    const log = pino({ level: 'silent' });
    for (let number = 0; number < count; number += 1) {
      instances.push(await startRowhouse({ ...settings, ...scratch.settings }, { demo: number === 0, log }));
    }
    return await proveOn(instances, agent, task);
  } finally {
    agent.destroy();
    // The first one has the provider, and goes last.
    for (const instance of instances.reverse()) await instance.close();
  }
}

async function proveOn(instances: readonly Rowhouse[], agent: Agent, task: LoginsTask): Promise<Proof> {
  const { rounds, seed, progress } = task;
  const violations: Violation[] = [];
  const codes = new Map<number, number>();
  const milliseconds: number[] = [];
  const random = seeded(seed, 0);
  let successes = 0;

  for (let round = 1; round <= rounds; round += 1) {
    const device = `device-${round}`;
    const login = random.pick(people);
    const body = await readyToLogin(instances[0]!, agent, device, login);
    const begin = performance.now();
    const answers = await Promise.all(
      Array.from({ length: loginsAtOnce }, (_, number) => {
        const { url } = instances[number % instances.length]!;
        return ask(agent, 'POST', `${url}${loginPath}`, body.authToken, body);
      }),
    );
    milliseconds.push(performance.now() - begin);
    for (const { errCode } of answers) codes.set(errCode, (codes.get(errCode) ?? 0) + 1);
    const tokens = answers.flatMap(({ authInfo }) => (authInfo === undefined ? [] : [authInfo.userTokens]));
    successes += tokens.length;
    violations.push(...judgeRound(device, tokens, await sessionsOf(instances[0]!, device)));
    if (round % Math.ceil(rounds / 20) === 0) progress(`${round} of ${rounds} rounds, ${violations.length} violations`);
  }
  return {
    violations,
    figures: [
      { name: 'instances', value: instances.length },
      { name: 'rounds', value: rounds },
      { name: 'logins at once in a round', value: loginsAtOnce },
      { name: 'logins', value: rounds * loginsAtOnce },
      { name: 'that led in', value: successes },
      ...[...codes]
        .sort(([left], [right]) => left - right)
        .map(([code, value]) => ({ name: `answered ${code}`, value })),
      { name: 'milliseconds of a round, median', value: Math.round(median(milliseconds)) },
      ...countsByRule(violations, ['at most once', 'every request is settled', 'answered is kept']),
    ],
  };
}

/** @param tokens that were answered. @param sessions hashes of the tokens that are stored for the device */
export function judgeRound(device: string, tokens: readonly string[], sessions: readonly string[]): Violation[] {
  const violations: Violation[] = [];
  const say = (rule: Violation['rule'], message: string) => violations.push({ rule, message: `${device}: ${message}` });
  if (tokens.length > 1) say('at most once', `${tokens.length} of ${loginsAtOnce} logins with one code led in.`);
  if (tokens.length === 0) say('every request is settled', 'none of the logins with a good code led in.');
  const answered = new Set(tokens.map((token) => hash('sha256', token)));
  if (sessions.length !== tokens.length || sessions.some((stored) => !answered.has(stored))) {
    say('answered is kept', `${sessions.length} sessions are stored, ${tokens.length} were answered.`);
  }
  return violations;
}

const loginPath = `${prefix}/auth/oidc/${demoNames.providerName}/Login`;

/** The body of a Login with a code that is good: the person has signed in at the provider. */
async function readyToLogin({ url }: Rowhouse, agent: Agent, deviceUDID: string, login: string) {
  const query = new URLSearchParams({ appKey: demoNames.appKey, deviceUDID });
  const anonymous = await ask(agent, 'GET', `${url}${prefix}/anonymousTokens?${query}`);
  const authToken = String(anonymous.results);
  await ask(agent, 'POST', `${url}${prefix}/devices`, authToken, { deviceUDID });
  const { clientId, appId, appVersion } = demoNames;
  const wanted = new URLSearchParams({ authToken, clientId });
  const path = `${prefix}/auth/oidc/${demoNames.providerName}/Authenticate?${wanted}`;
  const { location } = await ask(agent, 'GET', `${url}${path}`);
  const authzCode = (await signInAtProvider(location, login, 'any')).get('code');
  const authnState = hash('sha1', authToken);
  return { companyId: 1, appId, appVersion, authToken, deviceUDID, isPush: false, clientId, authzCode, authnState };
}

interface Told {
  readonly errCode: number;
  readonly results?: unknown;
  readonly authInfo?: { readonly userTokens: string };
  /** The header. */
  readonly location: string;
}

async function ask(agent: Agent, method: string, url: string, token?: string, content?: object): Promise<Told> {
  const headers = {
    accept: 'application/json',
    ...(token === undefined ? {} : { 'service-token': token }),
    ...(content === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const body = content === undefined ? undefined : JSON.stringify(content);
  const answer = await exchange(agent, url, { method, headers, body });
  const envelope = JSON.parse(answer.bytes.toString()) as Omit<Told, 'location'>;
  return { ...envelope, location: answer.headers.location ?? '' };
}

async function sessionsOf({ storage }: Rowhouse, device: string): Promise<string[]> {
  const { build, read } = storage.directory;
  const rows = await read(
    build.selectFrom('token').select('hash').where('device_udid', '=', device).where('kind', '=', 'user'),
  );
  return rows.map(({ hash }) => hash);
}
