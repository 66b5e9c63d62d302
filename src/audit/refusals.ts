/**
 * Records refused sign-ins in writes of their own. Repeated attempts must not fill the disk: refusals that are alike
 * (account, address, action and code) become at most one entry a minute, with their number, and all others at most
 * `auditRefusalsMax` entries a minute; the rest is counted in one entry.
 */
import type { Compilable } from 'kysely';
import type { Logger } from 'pino';
import type { Settings } from '../config.ts';
import { isFolded } from '../directory/folded-text.ts';
import type { Environment } from '../environment.ts';
import type { Relational } from '../storage/contract.ts';
import type { DirectoryTables } from '../storage/tables.ts';
import { isWellFormed } from '../text.ts';
import { auditInsert } from './trail.ts';

export interface Refusal {
  /** The action of the entry, as if it had succeeded: `session.start`. */
  readonly action: string;
  /** As typed; '' where none is named. An unknown account is left out, because it may be a password. */
  readonly account: string;
  /** The account was named by a provider, so it is always kept. */
  readonly vouched?: boolean;
  readonly address: string | null;
  readonly companyId: number | null;
  /** As in the path; the entry omits an application that does not exist. */
  readonly appId: string | null;
  /** Code of the answer, or the name of its fault. */
  readonly code: string;
  /** In words, without any secret. */
  readonly reason: string;
}

export interface Refusals {
  /**
   * Resolves when the refusal is counted. Its entry is stored afterwards: otherwise the answer would take longer for an
   * existing account, which gets its entry sooner. A failed write is logged.
   */
  note(refusal: Refusal): Promise<void>;
  /** Resolves when all due entries are stored. */
  stored(): Promise<void>;
  /** Writes all counts, including those of the current minute. */
  flush(): Promise<void>;
  /** Like `flush`; also ends the background work. */
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
  /** Refusals beyond `auditRefusalsMax`. */
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
      log.warn({ err: error }, 'The account of a refused sign-in could not be looked up.');
      return undefined;
    }
  }

  /** Account of a user of the company, or of an administrator of the installation; '' when there is none. */
  async function existing({ account, companyId }: Refusal): Promise<string> {
    if (account === '' || !isWellFormed(account)) return '';
    return (await first(namedSo(db, companyId, account)))?.account ?? '';
  }

  async function existingApp({ companyId, appId }: Refusal): Promise<string | null> {
    if (companyId === null || appId === null || !isWellFormed(appId)) return null;
    const apps = db.build.selectFrom('application').select('app_id').where('company_id', '=', companyId);
    return (await first(apps.where('app_id', '=', appId)))?.app_id ?? null;
  }

  /** The entries for the minutes before this one, or for all minutes. */
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

  /** The entry that this refusal causes, if any. */
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
  const same = isFolded('account', account);
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

/** A provider may send any text. */
function storable(text: string): string {
  return [...text.toWellFormed().replaceAll('\0', '')].slice(0, textMax).join('');
}
