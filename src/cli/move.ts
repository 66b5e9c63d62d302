/** `rowhouse move`: moves an installation, or a part of it, and says what the target needs. */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { idOf } from '../auth/seal.ts';
import type { Settings } from '../config.ts';
import { normalVersion } from '../directory/versions.ts';
import { given } from '../entities/entity.ts';
import { type Moved, move, type Progress } from '../move/move.ts';
import { storeName } from '../move/verify.ts';
import { parseLocation, redactedLocation, type StorageLocation } from '../storage/location.ts';
import { openTransferSource, openTransferTarget } from '../storage/open.ts';
import type { Selection } from '../storage/transfer-tables.ts';
import { aligned, line } from './answer.ts';
import { action, type Command, id, optional, repeated, text, UsageError, type ValuesOf } from './command.ts';
import type { CommandContext } from './context.ts';
import { progressOf } from './progress.ts';

const selected = {
  company: repeated(id('Only this company, with its people.')),
  app: optional(text('<appId>', 'Only this application of the one company.')),
  version: optional(text('<version>', 'Only this version of the application.')),
};

export const moveCommand: Command = {
  name: 'move',
  summary:
    'Moves data to another storage location, such as from a folder to a PostgreSQL database, and checks that nothing is lost.',
  actions: [
    action({
      name: '',
      summary:
        "Moves everything, or only some companies, an application or a version, into an empty storage location. Run it again after an interruption, and it continues. Parts can't be joined, because each needs its own location: name all companies that belong together in one move.",
      settings: 'none',
      flags: {
        from: text('<storage>', 'The source, in the form of the setting storage. No service may run on it.'),
        to: text('<storage>', 'The target: a folder or a database without data. Nothing is overwritten.'),
        ...selected,
      },
      async run(values, context) {
        const [from, to] = [locationGiven('--from', values.from), locationGiven('--to', values.to)];
        if (fullLocation(from) === fullLocation(to))
          throw new UsageError('--from and --to are the same storage location.');
        const selection = selectionOf(values);
        const started = performance.now();
        const moved = await execute(from, to, selection, context);
        const seconds = (performance.now() - started) / 1_000;
        return line(textOf(moved, seconds, keyAdvice(moved, from, context.settings)), jsonOf(moved, seconds));
      },
    }),
  ],
};

function locationGiven(flag: string, storage: string): StorageLocation {
  try {
    return parseLocation(storage);
  } catch (error) {
    throw new UsageError((error as Error).message.replace('storage', flag));
  }
}

function fullLocation(location: StorageLocation): string {
  if (location.engine === 'sqlite' && existsSync(location.folder)) return realpathSync(location.folder);
  return redactedLocation(location);
}

function selectionOf({ company, app, version }: ValuesOf<typeof selected>): Selection {
  if (version !== undefined && app === undefined) throw new UsageError('--version needs --app.');
  if (app !== undefined && company.length !== 1) throw new UsageError('--app needs one --company.');
  return {
    companyIds: [...new Set(company)],
    ...given({ appId: app, version: version && normalVersion(version) }),
  };
}

async function execute(
  from: StorageLocation,
  to: StorageLocation,
  selection: Selection,
  context: CommandContext,
): Promise<Moved> {
  const { settings } = context;
  const display = progressOf(context);
  const source = await openTransferSource(from, settings);
  try {
    const target = await openTransferTarget(to, settings);
    try {
      const progress = (at: Progress) => display.show({ name: stageOf(at), done: at.rows, of: at.of });
      return await move({ source, target, selection, progress });
    } finally {
      display.end();
      await target.close();
    }
  } finally {
    await source.close();
  }
}

function stageOf({ step, store, table, space, spaces }: Progress): string {
  const where = typeof store === 'number' ? `${storeName(store)} (${space} of ${spaces})` : store;
  return `${step} ${where}, ${table}`;
}

function rowsOf({ tables }: Moved): number {
  return tables.reduce((sum, { rows }) => sum + rows, 0);
}

function textOf(moved: Moved, seconds: number, advice: readonly string[]): string {
  const { tables, written, resumed } = moved;
  const heading = ['store', 'table', 'rows', 'SHA-256'];
  const found = tables.map(({ store, table, rows, checksum }) => [storeName(store), table, rows, checksum]);
  const rate = Math.round(written / seconds);
  const went = resumed ? 'An interrupted move went on: ' : '';
  return [
    aligned([heading, ...found]),
    '',
    `${went}${written} rows were written in ${seconds.toFixed(1)} s, comparing included: ${rate} a second.`,
    `Both storage locations have the same ${rowsOf(moved)} rows. The source is unchanged; take it out of service.`,
    ...advice,
  ].join('\n');
}

function jsonOf(moved: Moved, seconds: number): unknown {
  const tables = moved.tables.map(({ store, ...rest }) => ({ room: store, ...rest }));
  return { ...moved, tables, keyIds: Object.fromEntries(moved.keyIds), rows: rowsOf(moved), seconds };
}

/** Which keys the target needs, and where each is now: a secret can be read only under its own key. */
function keyAdvice({ keyIds }: Moved, from: StorageLocation, settings: Settings): string[] {
  if (keyIds.size === 0) return ['No secrets are stored, so no secret key has to go along.'];
  const known = knownKeys(from, settings);
  const advice = [...keyIds].map(([keyId, secrets]) => {
    const where = known.get(keyId) ?? 'a key that is not known here; find it, or give these secrets anew';
    return `  ${keyId}: ${secrets} sealed under ${where}`;
  });
  return [
    'Stored secrets were moved as they are, sealed. The new location needs the keys with these ids:',
    ...advice,
    'Give it the current one as ROWHOUSE_SECRET_KEY, earlier ones as ROWHOUSE_PREVIOUS_SECRET_KEYS; a folder takes secret.key instead.',
  ];
}

/** Where each available key is kept, by the key's id. */
function knownKeys(from: StorageLocation, { secretKey, previousSecretKeys }: Settings): Map<string, string> {
  const keyId = (hex: string) => idOf(Buffer.from(hex, 'hex'));
  const known = new Map(previousSecretKeys.map((hex) => [keyId(hex), 'a key of ROWHOUSE_PREVIOUS_SECRET_KEYS']));
  const file = from.engine === 'sqlite' ? join(from.folder, 'secret.key') : null;
  if (file !== null && existsSync(file)) known.set(keyId(readFileSync(file, 'utf8').trim()), `the key in ${file}`);
  if (secretKey !== '') known.set(keyId(secretKey), 'the key of ROWHOUSE_SECRET_KEY');
  return known;
}
