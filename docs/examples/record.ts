/**
 * Sends the requests of `steps.ts` to a service of the demo that is started for them, and keeps what was sent and answered.
 * The clock moves by a second with each request, and what differs from run to run is replaced, so every run gives the same.
 */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { pino } from 'pino';
import { role } from '../../src/caller.ts';
import { defaults, type Settings } from '../../src/config.ts';
import { demoNames, signInAtProvider, walkDemoSignIn } from '../../src/demo/sign-in.ts';
import { systemEnvironment } from '../../src/environment.ts';
import { operationsOf } from '../../src/http/api/operations.ts';
import { type Rowhouse, startRowhouse } from '../../src/main.ts';
import type { Operation } from '../../src/operations/define.ts';
import { jsonText } from '../pages/markdown.ts';
import { type Event, type Step, steps } from './steps.ts';

export interface Example {
  /** Method, path with `{prefix}`, query, headers and body, as they were sent. */
  readonly request: string;
  /** The header that the answer is about, the body as JSON. */
  readonly header: string | null;
  readonly body: unknown;
}

/** By name of the operation. */
export type Examples = ReadonlyMap<string, Example>;

/** When the first request is sent, as the page shows it. */
const shownStart = Date.parse('2026-01-31T10:00:00Z');
const prefix = `/api/1/${demoNames.appId}/${demoNames.appVersion.replaceAll('.', '_')}`;
const isoTime = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00/g;
/** Shorter values that were kept, such as ids, are the same in every run. */
const volatileLength = 20;

/** @param storage an empty one */
export async function recordExamples(storage: Partial<Settings>): Promise<Examples> {
  const start = Math.ceil(Date.now() / 1_000) * 1_000;
  let now = start;
  const service = await startRowhouse(
    { ...defaults, ...storage, port: 0, stopIdleMs: 0 },
    { demo: true, environment: { ...systemEnvironment, now: () => now }, log: pino({ level: 'silent' }) },
  );
  try {
    await arrange(service);
    const run: Run = { url: service.url, kept: new Map(), location: '', start };
    const examples = new Map<string, Example>();
    for (const step of steps) {
      now += 1_000;
      if (typeof step === 'string') await happen(run, step);
      else examples.set(step.operation, await send(run, step));
    }
    return examples;
  } finally {
    await service.close();
  }
}

interface Run {
  readonly url: string;
  /** By name. */
  readonly kept: Map<string, string>;
  /** Where Authenticate last sent the user. */
  location: string;
  readonly start: number;
}

/** Alice is a Super Admin, so that she may do everything that the page shows, and the application takes passwords. */
async function arrange({ directory }: Rowhouse): Promise<void> {
  const alice = await directory.users.byAccount(1, 'alice');
  assert.ok(alice !== null);
  const held = await directory.users.memberships(alice.id);
  const memberships = [...held, { groupId: 1, roleId: role.superAdmin }];
  await directory.users.update(1, alice.id, { memberships });
  await directory.applications.update(1, demoNames.appId, { localAccounts: true });
}

async function happen(run: Run, event: Event): Promise<void> {
  if (event === 'alice signs in on a tablet') {
    await walkDemoSignIn({ url: run.url, companyId: 1, login: 'alice', deviceUDID: 'tablet-of-alice' });
    return;
  }
  const returned = await signInAtProvider(run.location, 'alice', 'demo');
  run.kept.set('code', String(returned.get('code')));
  run.kept.set('state', hash('sha1', String(run.kept.get('anonymousToken'))));
}

async function send(run: Run, step: Step): Promise<Example> {
  const { operation: name, token, headers = {}, body, showsHeader, leavesOut = [] } = step;
  const operation = operationsOf('client').find((one) => one.name === name);
  assert.ok(operation !== undefined, `There is no operation "${name}".`);
  const path = pathOf(operation, step);
  const text = body === undefined ? undefined : JSON.stringify(body);
  const sent = {
    ...(token === undefined ? {} : { 'service-token': token }),
    ...headers,
    ...(text === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const response = await fetch(run.url + prefix + filled(run, path), {
    method: operation.method,
    headers: JSON.parse(filled(run, JSON.stringify(sent))),
    ...(text === undefined ? {} : { body: filled(run, text) }),
    redirect: 'manual',
  });
  const answer: unknown = await response.json();
  assert.equal(response.status, 200, `${name} answered ${JSON.stringify(answer)}`);
  run.location = response.headers.get('location') ?? run.location;
  for (const [as, at] of Object.entries(step.keep ?? {})) run.kept.set(as, String(valueAt(answer, at)));
  for (const member of leavesOut) (answer as Record<string, unknown>)[member] = '…';
  const lines = [
    `${operation.method} {prefix}${path}`,
    ...Object.entries(sent).map(([header, value]) => `${header}: ${value}`),
  ];
  const shownBody = text === undefined ? '' : `\n\n${jsonText(JSON.parse(shown(run, filled(run, text))))}`;
  return {
    request: shown(run, filled(run, lines.join('\n'))) + shownBody,
    header:
      showsHeader === undefined ? null : `${showsHeader}: ${shownAddress(run, response.headers.get(showsHeader))}`,
    body: JSON.parse(shown(run, JSON.stringify(answer))),
  };
}

function pathOf({ path }: Operation, step: Step): string {
  const filledIn = path.replaceAll(/:(\w+)/g, (_, parameter: string) => step.path?.[parameter] ?? '');
  const query = Object.entries(step.query ?? {}).map(([parameter, value]) => `${parameter}=${value}`);
  return query.length === 0 ? filledIn : `${filledIn}?${query.join('&')}`;
}

/** With what was kept under the names in braces. */
function filled({ kept }: Run, text: string): string {
  return text.replaceAll(/\{(\w+)\}/g, (found, name: string) => kept.get(name) ?? found);
}

/** What differs from run to run stands under its name, times count from a fixed one, addresses are examples. */
function shown(run: Run, text: string): string {
  let told = text.replaceAll(isoTime, (time) =>
    new Date(Date.parse(time) - run.start + shownStart).toISOString().replace('Z', '+00:00'),
  );
  for (const [name, value] of run.kept) {
    if (value.length >= volatileLength && Number.isNaN(Date.parse(value))) told = told.replaceAll(value, `{${name}}`);
  }
  const origins = [
    [new URL(run.url).origin, 'https://data.example.com'],
    [new URL(run.location || run.url).origin, 'https://idp.example.com'],
  ] as const;
  for (const [origin, example] of origins) {
    told = told.replaceAll(origin, example).replaceAll(encodeURIComponent(origin), encodeURIComponent(example));
  }
  return told.replaceAll(/\b[0-9a-f]{24}\b/g, '{otherSessionId}');
}

/** An address whose parameters are secrets of one sign-in. */
function shownAddress(run: Run, address: string | null): string {
  return shown(run, String(address)).replaceAll(/(state|nonce|code_challenge)=[^&]+/g, '$1={$1}');
}

function valueAt(value: unknown, path: string): unknown {
  return path.split('.').reduce((at: unknown, member) => (at as Record<string, unknown> | undefined)?.[member], value);
}
