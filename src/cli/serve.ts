/** `rowhouse serve`: starts the service, prints where everything is, and stops it cleanly. */
import { constants } from 'node:os';
import { resolve } from 'node:path';
import type { Logger } from 'pino';
import { defaults, type Settings } from '../config.ts';
import { ServiceError } from '../errors.ts';
import type { SettingOrigins } from '../load-settings.ts';
import type { Rowhouse } from '../main.ts';
import { parseLocation, redactedLocation, supportsSeveralProcesses } from '../storage/location.ts';
import { line } from './answer.ts';
import { action, type Command, toggle, UsageError } from './command.ts';
import { keyFileAdvice } from './context.ts';
import { openLog } from './readable-log.ts';
import { startError } from './start-error.ts';

export const serveCommand: Command = {
  name: 'serve',
  summary: 'Starts the service.',
  actions: [
    action({
      name: '',
      summary: 'Starts the service; SIGTERM or Ctrl-C stops it in an orderly way, a second one at once.',
      settings: 'all',
      flags: {
        demo: toggle('Starts with two demo companies and their own identity provider; on this machine only.'),
        newKey: toggle(
          'Continue without the lost key of stored secrets: client secrets and push tokens sealed under it are marked as lost, and have to be entered again.',
        ),
      },
      async run({ demo, newKey, json }, context) {
        const { settings, origins, say } = context;
        if (demo && !isLoopback(settings.host)) {
          throw new UsageError(
            `--demo opens accounts that anybody may use, so it needs a host of this machine only, not ${settings.host}.`,
          );
        }
        const readable = context.isTerminal || (demo && json !== true);
        const log = openLog(settings, readable);
        const { version } = await import('../main.ts');
        const { service, told, setUpLink } = await begin(settings, { origins, demo, newKey, readable, log });
        if (readable) for (const text of welcome(service, version, setUpLink)) say(text);
        else log.info({ url: service.url, storage: redactedStorage(settings), version }, 'Listening.');
        // Not in the log, which goes where no secret may be.
        if (!readable && setUpLink !== null) context.warn(`${setUpAdvice}: ${setUpLink}`);
        if (service.keyFileMade !== null) {
          log.warn({ file: service.keyFileMade }, `A key file was created. ${keyFileAdvice}`);
        }
        await told;
        await close(service, log);
        return line('', undefined);
      },
    }),
  ],
};

/** In this process alone, or in several children. */
type Service = Pick<Rowhouse, 'url' | 'settings' | 'demo' | 'keyFileMade' | 'setUpLink' | 'close'>;

interface StartOptions {
  readonly origins: SettingOrigins;
  readonly demo: boolean;
  readonly newKey: boolean;
  readonly readable: boolean;
  readonly log: Logger;
}

/** Closes everything on failure. @throws Error that says what to do, where that is known */
async function begin(
  settings: Settings,
  options: StartOptions,
): Promise<{ readonly service: Service; readonly told: Promise<void>; readonly setUpLink: string | null }> {
  let service: Service | undefined;
  try {
    service = await start(settings, options);
    // Installed in the turn in which the service became ready: an earlier signal ends the process, a later one stops
    // the service.
    const told = toldToStop(options.log);
    return { service, told, setUpLink: await service.setUpLink() };
  } catch (error) {
    await service?.close();
    throw startError(error, settings);
  }
}

async function start(settings: Settings, options: StartOptions): Promise<Service> {
  if (settings.workers > 1) {
    if (!supportsSeveralProcesses(parseLocation(settings.storage))) {
      throw new ServiceError(
        'malformed',
        `workers: expected 1, got ${settings.workers}. A folder of SQLite is served by one process, which has threads of its own (readerThreads, writerThreads); data on PostgreSQL may be served by more.`,
      );
    }
    return (await import('./workers.ts')).startWorkers(settings, options);
  }
  return (await import('../main.ts')).startRowhouse(settings, options);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}

/** The storage location, without what must not be logged. */
function redactedStorage({ storage }: Settings): string {
  const location = parseLocation(storage);
  return location.engine === 'sqlite' ? resolve(location.folder) : redactedLocation(location);
}

const setUpAdvice = 'There is no administrator yet. The first person to open this link becomes one';

/** The few lines that tell a newcomer where everything is. */
function welcome({ url, settings, demo }: Service, version: string, setUpLink: string | null): string[] {
  const lines = [
    `Rowhouse ${version} answers at ${url}`,
    `  data     ${redactedStorage(settings)}`,
    '  log      here; as JSON with --json',
  ];
  if (settings.workers > 1) lines.splice(1, 0, `  workers  ${settings.workers}`);
  if (demo !== null) {
    const elsewhere = url === `http://${defaults.host}:${defaults.port}` ? '' : ` --url ${url}`;
    lines.push(`  sign in  ${url}/`, `  token    npx rowhouse demo token alice${elsewhere}   (or bob, carol, dave)`);
  }
  if (setUpLink !== null) lines.push(`  set up   ${setUpLink}`, `           ${setUpAdvice}.`);
  return [...lines, 'Ctrl-C stops it.', ''];
}

/** A signal may arrive from both the process group and the parent process; the two count as one. */
const sameSignalMs = 1_000;

/** Resolves at the first signal to stop. A second one ends the process at once. */
function toldToStop(log: Logger): Promise<void> {
  return new Promise((resolve) => {
    let toldAt: number | undefined;
    const stop = (signal: NodeJS.Signals) => {
      if (toldAt !== undefined && performance.now() - toldAt < sameSignalMs) return;
      if (toldAt !== undefined) process.exit(128 + constants.signals[signal]);
      toldAt = performance.now();
      log.info({ signal }, 'Stopping; a second signal ends it at once.');
      resolve();
    };
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop);
  });
}

/** Resolves when every running request was answered; ends the process when that takes longer than `stopTimeMs`. */
async function close(service: Service, log: Logger): Promise<void> {
  const { stopNoticeMs, stopTimeMs } = service.settings;
  const late = setTimeout(() => {
    log.error({ stopTimeMs }, 'Some requests did not end in time (setting stopTimeMs).');
    process.exit(1);
  }, stopNoticeMs + stopTimeMs);
  try {
    await service.close();
    log.info('Stopped.');
  } finally {
    clearTimeout(late);
  }
}
