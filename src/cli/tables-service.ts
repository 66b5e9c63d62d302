/**
 * The tables of a version at a running service, over HTTP with a developer's token: works with either engine, and the
 * service's rights and audit trail apply.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../errors.ts';
import type { WrittenChange } from '../schema/difference.ts';
import { UsageError } from './command.ts';

export interface TablesService {
  /** The tables in the form of a definition, and the revision that changes are based on. */
  read(): Promise<{ readonly tables: readonly unknown[]; readonly revision: number }>;
  change(request: {
    readonly revision: number;
    readonly changes: readonly WrittenChange[];
    readonly dryRun: boolean;
  }): Promise<Changed>;
}

export interface Changed {
  readonly revision: number;
  readonly versions: readonly string[];
  readonly roles?: readonly string[];
  readonly changes: readonly ChangeOutcome[];
}

/** What became, or would become, of one change. */
export interface ChangeOutcome {
  readonly op: string;
  readonly rows?: number;
  readonly lost?: number;
  readonly timeMs?: number;
  readonly checked?: boolean;
}

/** Where the tables are, and the token of a user who may define them. */
export interface TablesAddress {
  readonly url: string;
  readonly company: number;
  readonly app: string;
  readonly version: string;
  readonly token: string;
}

interface Envelope {
  readonly errCode?: unknown;
  readonly description?: unknown;
}

interface Job extends Pick<Changed, 'revision' | 'changes'> {
  readonly state: 'running' | 'done' | 'failed' | 'unknown';
  readonly error?: string;
}

/** How often the state of a job is polled. */
const askEveryMs = 500;

/** A change of a large table takes longer than other requests. */
const answerTimeMs = 600_000;

/** @throws UsageError for an invalid address */
export function tablesService({ url, company, app, version, token }: TablesAddress): TablesService {
  const names = [String(company), app, version.replaceAll('.', '_')].map(encodeURIComponent).join('/');
  const base = baseOf(url);
  async function ask<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const response = await fetch(`${base}/api/${names}${path}`, {
      method,
      headers: { 'service-token': token, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      signal: AbortSignal.timeout(answerTimeMs),
      redirect: 'error',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch((error: Error) => {
      const why = error.cause instanceof Error ? error.cause.message : error.message;
      throw new ServiceError('malformed', `${base} does not answer: ${why}`);
    });
    const answer = (await response.json().catch(() => null)) as Envelope | null;
    if (answer?.errCode === 0) return answer as Answer;
    const told = typeof answer?.description === 'string' ? `${answer.errCode}: ${answer.description}` : '';
    const what = told === '' ? `HTTP status ${response.status} and no answer of a service` : told;
    throw new ServiceError('malformed', `${base} answered ${what}`);
  }
  /** The result of a change that takes longer than a request waits. */
  async function endOf(jobId: string): Promise<Changed> {
    for (;;) {
      const { results: job } = await ask<{ results: Job }>('GET', `/schemas/jobs/${jobId}`);
      if (job.state === 'done') return { revision: job.revision, versions: [], changes: job.changes };
      if (job.state !== 'running') {
        throw new ServiceError(
          'malformed',
          `${base} did not make the changes: ${job.error ?? 'they were interrupted.'}`,
        );
      }
      await sleep(askEveryMs);
    }
  }

  return {
    async read() {
      const { results, revision } = await ask<{ results: unknown[]; revision: number }>('GET', '/schemas');
      return { tables: results, revision };
    },
    async change(request) {
      const { results } = await ask<{ results: Changed | { readonly jobId: string } }>(
        'POST',
        '/schemas/changes',
        request,
      );
      return 'jobId' in results ? endOf(results.jobId) : results;
    },
  };
}

function baseOf(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    throw new UsageError(`--url: expected an address such as http://127.0.0.1:8080, got ${JSON.stringify(url)}.`);
  }
  return `${parsed.origin}${parsed.pathname.replace(/\/+$/, '')}`;
}
