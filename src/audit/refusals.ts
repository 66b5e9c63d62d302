/**
 * Refused sign-ins, in writes of their own. Whoever tries and tries may not fill the disk: what is alike (account,
 * address, action and code) is written once a minute at most, with the number of times, and of all that is not alike
 * `auditRefusalsMax` entries a minute; the rest is counted in one entry.
 */
import { type Compilable, sql } from 'kysely';
import type { Logger } from 'pino';
import type { Settings } from '../config.ts';
import type { Environment } from '../environment.ts';
import type { Relational } from '../storage/contract.ts';
import type { DirectoryTables } from '../storage/tables.ts';
import { isWellFormed } from '../text.ts';
import { auditInsert } from './trail.ts';

export interface Refusal {
  /** As of the entry when it is done: `session.start`. */
  readonly action: string;
  /** As typed; '' where none is named. An unknown account is left out: it may be a password. */
  readonly account: string;
  /** A provider names the account, so that it is kept in any case. */
  readonly vouched?: boolean;
  readonly address: string | null;
  readonly companyId: number | null;
  /** As it stands in the path; it is left out too where there is no such application. */
  readonly appId: string | null;
  /** Code of the answer, or the name of its fault. */
  readonly code: string;
  /** In words, without any secret. */
  readonly reason: string;
}

export interface Refusals {
  /**
   * Resolves when the refusal is counted. An entry that it leads to is stored afterwards: the answer would take longer
   * for an account that there is, of which there is an entry sooner. A failed write is logged.
   */
  note(refusal: Refusal): Promise<void>;
  /** Resolves when every entry that is due is stored. */
  stored(): Promise<void>;
  /** Writes what is counted, also of the minute under way. */
  flush(): Promise<void>;
  /** As `flush`, and ends what runs in the background. */
  close(): Promise<void>;
}

interface Noted {
  readonly refusal: Refusal;
  /** When the last entry was written. */
  written: number;
  /** How many came since. */
  count: number;
}

const windowMs = 60_000;
const textMax = 200;

export function openRefusals(
  db: Relational<DirectoryTables>,
  settings: Pick<Settings, 'auditRefusalsMax'>,
  environment: Environment,
  log: Pick<Logger, 'warn'>,
): Refusals {
  const noted = new Map<string, Noted>();
  /** What came beyond `auditRefusalsMax`. */
  let others = 0;
  let windowStart = environment.now();

  let writing = Promise.resolve();

  function write(entries: readonly (readonly [Refusal, number])[]): Promise<void> {
    if (entries.length === 0) return writing;
    const time = environment.now();
    const statements = entries.map(([refusal, count]) => insert(db, refusal, count, time));
    writing = writing.then(async () => {
      try {
        await db.write(statements);
      } catch (error) {
        log.warn({ err: error, entries: entries.length }, 'Refused sign-ins could not be written to the audit trail.');
      }
    });
    return writing;
  }

  async function first<Row>(query: Compilable<Row>): Promise<Row | undefined> {
    try {
      return (await db.read(query))[0];
    } catch (error) {
      log.warn({ err: error }, 'Whose sign-in was refused could not be looked up.');
      return undefined;
    }
  }

  /** Of a user of the company, or of an administrator of the installation; '' when there is none. */
  async function existing({ account, companyId }: Refusal): Promise<string> {
    if (account === '' || !isWellFormed(account)) return '';
    return (await first(namedSo(db, companyId, account)))?.account ?? '';
  }

  async function existingApp({ companyId, appId }: Refusal): Promise<string | null> {
    if (companyId === null || appId === null || !isWellFormed(appId)) return null;
    const apps = db.build.selectFrom('application').select('app_id').where('company_id', '=', companyId);
    return (await first(apps.where('app_id', '=', appId)))?.app_id ?? null;
  }

  /** What is to be written of the minutes before this one, or of all of them. */
  function take(all: boolean): (readonly [Refusal, number])[] {
    const now = environment.now();
    if (!all && now - windowStart < windowMs) return [];
    const due: (readonly [Refusal, number])[] = [];
    for (const [key, one] of noted) {
      if (!all && now - one.written < windowMs) continue;
      if (one.count === 0) noted.delete(key);
      else due.push(taken(one, now));
    }
    if (others > 0) due.push([unlike, others]);
    others = 0;
    windowStart = now;
    return due;
  }

  function taken(one: Noted, now: number): readonly [Refusal, number] {
    const { refusal, count } = one;
    one.written = now;
    one.count = 0;
    return [refusal, count];
  }

  /** The entry that the refusal itself leads to, where it does. */
  function countedIn(refusal: Refusal): (readonly [Refusal, number])[] {
    const now = environment.now();
    const { action, companyId, account, address, code } = refusal;
    const key = JSON.stringify([action, companyId, account, address, code]);
    const present = noted.get(key);
    if (present === undefined && noted.size >= settings.auditRefusalsMax) {
      others += 1;
      return [];
    }
    const one = present ?? { refusal, written: Number.NEGATIVE_INFINITY, count: 0 };
    noted.set(key, one);
    one.count += 1;
    return now - one.written < windowMs ? [] : [taken(one, now)];
  }

  const timer = setInterval(() => void write(take(false)), windowMs).unref();
  const flush = () => write(take(true));

  return {
    flush,
    stored: () => writing,
    async note(refusal) {
      const account = refusal.vouched === true ? refusal.account : await existing(refusal);
      const appId = await existingApp(refusal);
      void write([...take(false), ...countedIn({ ...refusal, account, appId })]);
    },
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}

function namedSo({ build }: Relational<DirectoryTables>, companyId: number | null, account: string) {
  const same = sql<boolean>`lower(account) = lower(${account})`;
  return companyId === null
    ? build.selectFrom('administrator').select('account').where(same)
    : build.selectFrom('user').select('account').where(same).where('company_id', '=', companyId);
}

const unlike: Refusal = {
  action: 'session.start',
  account: '',
  address: null,
  companyId: null,
  appId: null,
  code: 'others',
  reason: 'Further refusals, of various accounts and addresses (setting auditRefusalsMax).',
};

function insert(db: Relational<DirectoryTables>, refusal: Refusal, count: number, time: number) {
  const { action, companyId, appId, account, address, code, reason } = refusal;
  return auditInsert(db, {
    time,
    action,
    companyId,
    appId,
    actor: { kind: 'nobody', account: storable(account), address },
    target: account === '' ? 'sign-in' : `sign-in of ${storable(account)}`,
    outcome: 'refused',
    detail: { code, reason, count },
  });
}

/** What a provider names may be anything. */
function storable(text: string): string {
  return [...text.toWellFormed().replaceAll('\0', '')].slice(0, textMax).join('');
}
