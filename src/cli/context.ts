/** What actions work with: the settings in force and, opened on first use, the directory beside a running server. */
import { pino } from 'pino';
import { type AccountDeps, openAccounts } from '../administration/open.ts';
import { unlimited } from '../auth/attempts.ts';
import { openPasswords } from '../auth/local/passwords.ts';
import { revokeOne, revokeSessions } from '../auth/revocation.ts';
import type { Seal } from '../auth/seal.ts';
import { openSealOf } from '../auth/secret-keys.ts';
import { listSessions } from '../auth/session-list.ts';
import type { Settings } from '../config.ts';
import { type Directory, openDirectory } from '../directory/directory.ts';
import { systemEnvironment as environment } from '../environment.ts';
import { quoted, ServiceError } from '../errors.ts';
import type { SettingOrigins } from '../load-settings.ts';
import type { Storage } from '../storage/contract.ts';
import { parseLocation, redactedLocation } from '../storage/location.ts';
import { hasData, openStorage } from '../storage/open.ts';

/** Advice for the operator about a new key file. */
export const keyFileAdvice = 'Keep it with your backups, or stored secrets can never be read again.';

export interface CommandProcess {
  readonly settings: Settings;
  readonly origins: SettingOrigins;
  /** Environment variables. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** True when a person reads the output, and did not ask for JSON. */
  readonly isTerminal: boolean;
  /** Writes a line to standard output, before the answer. */
  say(line: string): void;
  /** Writes a line that is not part of the answer. */
  warn(line: string): void;
  /** A password, typed or from a pipe (`secret-input.ts`). */
  secret(prompt: string): Promise<string>;
}

export interface CommandContext extends CommandProcess {
  /** @throws ServiceError when there are no data yet; `make` creates them instead. */
  directory(options?: { readonly make: boolean }): Promise<Directory>;
  /** As `directory`, with the other stores. */
  storage(options?: { readonly make: boolean }): Promise<Storage>;
  /** As `directory`, with the dependencies of administrative actions. */
  accounts(options?: { readonly make: boolean }): Promise<AccountDeps>;
  /** @throws ServiceError when no available key opens a stored secret */
  seal(): Promise<Seal>;
}

export interface OpenCommandContext extends CommandContext {
  close(): Promise<void>;
}

export function openCommandContext(commandProcess: CommandProcess): OpenCommandContext {
  const { settings } = commandProcess;
  let opened: Promise<Storage> | undefined;
  async function storage(options = { make: false }): Promise<Storage> {
    if (!options.make && opened === undefined && !(await hasData(settings))) {
      const advice = '"rowhouse serve" or "rowhouse company add" makes them; --storage names another storage location.';
      throw new ServiceError(
        'malformed',
        `There are no data in ${quoted(redactedLocation(parseLocation(settings.storage)))}. ${advice}`,
      );
    }
    opened ??= openStorage(settings, environment, pino({ level: 'silent' }));
    return opened;
  }
  return {
    ...commandProcess,
    storage,
    directory: async (options) => openDirectory(await storage(options), environment),
    async accounts(options) {
      const opened = await storage(options);
      return openAccounts({
        storage: opened,
        directory: openDirectory(opened, environment),
        settings,
        environment,
        passwords: openPasswords(settings, environment),
        auth: authOf(opened.directory, settings),
      });
    },
    async seal() {
      const log = pino({ level: 'silent' });
      const seal = await openSealOf({ storage: await storage(), settings, environment, log });
      if (seal.keyFileMade !== null)
        commandProcess.warn(`A key file was created: ${seal.keyFileMade}. ${keyFileAdvice}`);
      return seal;
    },
    async close() {
      await (await opened)?.close();
    },
  };
}

/** This process serves no requests: it has no sessions in memory to forget, and no attempts to count. */
function authOf(db: Storage['directory'], settings: Settings): AccountDeps['auth'] {
  return {
    attempts: unlimited,
    forget() {},
    listSessions: (companyId, request) => listSessions({ db, settings, environment }, companyId, request),
    revokeSession: (one, by) => revokeOne({ db, environment }, one, by),
    revokeSessions: (many, by) => revokeSessions({ db, environment }, many, by),
  };
}
