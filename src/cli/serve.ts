/** `rowhouse serve`: starts the service, says where everything is, and stops it in good order. */
import type { Logger } from 'pino';
import type { Settings } from '../config.ts';
import { ServiceError } from '../errors.ts';
import type { Rowhouse } from '../main.ts';
import { line } from './answer.ts';
import { action, type Command, toggle, UsageError } from './command.ts';
import { openLog } from './readable-log.ts';

export const serveCommand: Command = {
  name: 'serve',
  summary: 'Starts the service.',
  actions: [
    action({
      name: '',
      summary: 'Starts the service; SIGTERM or Ctrl-C stops it in good order, a second one at once.',
      takesSettings: true,
      flags: {
        demo: toggle('With two demo companies and an identity provider of their own; on this machine only.'),
      },
      async run({ demo, json }, workplace) {
        const { settings, say } = workplace;
        if (demo && !isLoopback(settings.host)) {
          throw new UsageError(
            `--demo opens accounts that anybody may use, so it needs a host of this machine only, not ${settings.host}.`,
          );
        }
        const readable = workplace.isTerminal || (demo && json !== true);
        const log = openLog(settings, readable, say);
        const { startRowhouse, version } = await import('../main.ts');
        const rowhouse = await startRowhouse(settings, { demo, log }).catch((error) => {
          throw explained(error, settings);
        });
        if (readable) for (const text of welcome(rowhouse, version)) say(text);
        else log.info({ url: rowhouse.url, storage: settings.storage, version }, 'listening');
        if (rowhouse.keyFileMade !== null) {
          const file = rowhouse.keyFileMade;
          log.warn(
            { file },
            'a key file was made; keep it with your backups, or stored secrets can never be read again',
          );
        }
        await stopped(rowhouse, log);
        return line('', undefined);
      },
    }),
  ],
};

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}

/** The few lines that tell a newcomer where everything is. */
function welcome(rowhouse: Rowhouse, version: string): string[] {
  const { url, settings } = rowhouse;
  const lines = [
    `Rowhouse ${version} answers at ${url}`,
    `  data     ${settings.storage.replace(/^sqlite:/, '')}`,
    '  log      here; as JSON with --json',
  ];
  if (rowhouse.demo !== null) {
    lines.push(`  sign in  ${url}/`, '  token    npx rowhouse demo token alice   (or bob, carol, dave)');
  }
  return [...lines, 'Ctrl-C stops it.', ''];
}

/** Resolves when the service was told to stop and every running request was answered. A second signal ends at once. */
function stopped(rowhouse: Rowhouse, log: Logger): Promise<void> {
  return new Promise((resolve, reject) => {
    let stopping = false;
    const stop = (signal: NodeJS.Signals) => {
      if (stopping) process.exit(signal === 'SIGINT' ? 130 : 143);
      stopping = true;
      log.info({ signal }, 'stopping; a second signal ends at once');
      const { stopTimeMs } = rowhouse.settings;
      const late = setTimeout(() => {
        log.error({ stopTimeMs }, 'some requests did not end in time (setting stopTimeMs)');
        process.exit(1);
      }, stopTimeMs);
      rowhouse
        .close()
        .then(() => log.info('stopped'))
        .then(resolve, reject)
        .finally(() => clearTimeout(late));
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
  });
}

/** What usually goes wrong at the start, in words that say what to do. */
function explained(error: unknown, settings: Settings): unknown {
  const { code } = error as NodeJS.ErrnoException;
  const place = `${settings.host}, port ${settings.port}`;
  switch (code) {
    case 'EADDRINUSE':
      return new ServiceError('malformed', `${place}: another program listens there; --port names another port.`);
    case 'EACCES':
      return new ServiceError('malformed', `${place} or the data folder: this user is not permitted to open it.`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new ServiceError('malformed', `${place}: this machine has no such address; --host names another one.`);
    default:
      return error;
  }
}
