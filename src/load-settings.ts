/**
 * Reads the settings from flags, the environment and a settings file, refuses invalid ones, and reports the source of
 * each.
 */
import {
  defaults,
  environmentName,
  flagName,
  otherEnvironmentNames,
  type SettingName,
  type Settings,
  settingNames,
  settingsTable,
} from './config.ts';
import { malformed, quoted } from './errors.ts';
import { sizedDefaults } from './memory.ts';
import type { Setting } from './setting.ts';

/** Names with this beginning belong to the tests (CONTRIBUTING.md) and are always allowed. */
const testEnvironmentPrefix = 'ROWHOUSE_TEST_';

export interface SettingSources {
  /** By flag name, without the dashes; a flag given without a value is `true`. */
  readonly flags?: Readonly<Record<string, string | boolean | undefined>>;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The parsed content of a settings file, and the path to name in errors. */
  readonly file?: { readonly path: string; readonly content: unknown };
  /** Available memory (`memory.ts`); unlimited when absent. */
  readonly memoryBytes?: number;
  /** Finds the name that was probably meant (`nearest.ts`). */
  readonly nearest?: (name: string, candidates: Iterable<string>) => string | undefined;
}

/** The source of each setting's value; settings with their default are left out. */
export type SettingOrigins = Readonly<Partial<Record<SettingName, SettingOrigin>>>;

export interface SettingOrigin {
  /** `memory`: the default, reduced to fit the available memory. */
  readonly source: 'memory' | 'file' | 'environment' | 'flag';
  /** The path of the file, the variable, or the flag; null for `memory`. */
  readonly name: string | null;
}

export interface LoadedSettings {
  readonly settings: Settings;
  readonly origins: SettingOrigins;
}

export function loadSettings(sources: SettingSources): Settings {
  return loadWithOrigins(sources).settings;
}

/**
 * Flags win over the environment, the environment over the file, the file over the defaults.
 * @throws ServiceError `malformed`, naming the wrong or unknown setting, its value and what was expected
 */
export function loadWithOrigins(sources: SettingSources): LoadedSettings {
  const [file, environment, flags] = [readFile(sources), readEnvironment(sources), readFlags(sources)];
  const given = { ...file, ...environment, ...flags };
  const { memoryBytes, workers = defaults.workers } = given;
  const available = memoryBytes || (sources.memoryBytes ?? Number.POSITIVE_INFINITY);
  const sized = sizedDefaults(defaults, available / workers);
  const settings = { ...defaults, ...sized, ...given };
  refuseContradictions(settings);
  const origins = {
    ...originsOf(sized, () => ({ source: 'memory', name: null })),
    ...originsOf(file, () => ({ source: 'file', name: sources.file?.path ?? null })),
    ...originsOf(environment, (name) => ({ source: 'environment', name: environmentName(name) })),
    ...originsOf(flags, (name) => ({ source: 'flag', name: `--${flagName(name)}` })),
  };
  return { settings, origins };
}

function originsOf(given: Partial<Settings>, origin: (name: SettingName) => SettingOrigin): SettingOrigins {
  return Object.fromEntries((Object.keys(given) as SettingName[]).map((name) => [name, origin(name)]));
}

function readFile({ file, nearest }: SettingSources): Partial<Settings> {
  if (file === undefined) return {};
  if (typeof file.content !== 'object' || file.content === null || Array.isArray(file.content)) {
    throw malformed(file.path, 'expected a JSON object with settings.');
  }
  const values = Object.entries(file.content);
  const known = new Map(settingNames.map((name) => [name as string, name]));
  return readAll(values, known, nearest, `${file.path}, `);
}

/** An empty variable counts as not set, since deployment tools leave such variables behind. */
function readEnvironment({ environment = {}, nearest }: SettingSources): Partial<Settings> {
  const others: readonly string[] = Object.values(otherEnvironmentNames);
  const values = Object.entries(environment).filter(
    ([name, value]) =>
      name.startsWith('ROWHOUSE_') &&
      !name.startsWith(testEnvironmentPrefix) &&
      !others.includes(name) &&
      value !== undefined &&
      value !== '',
  );
  const known = new Map(settingNames.map((name) => [environmentName(name), name]));
  return readAll(values, known, nearest);
}

function readFlags({ flags = {}, nearest }: SettingSources): Partial<Settings> {
  const given = Object.entries(flags).filter(([, value]) => value !== undefined);
  const known = new Map<string, SettingName>();
  for (const name of settingNames) {
    const flag = flagName(name);
    if (flag !== null) known.set(`--${flag}`, name);
  }
  return readAll(
    given.map(([flag, value]) => [`--${flag}`, value]),
    known,
    nearest,
  );
}

function readAll(
  values: readonly (readonly [string, unknown])[],
  known: ReadonlyMap<string, SettingName>,
  nearest: SettingSources['nearest'],
  origin = '',
): Partial<Settings> {
  const read: Record<string, unknown> = {};
  for (const [given, input] of values) {
    const name = known.get(given);
    if (name === undefined) {
      const meant = nearest?.(given, known.keys());
      const advice = meant === undefined ? '' : ` Did you mean ${meant}?`;
      throw malformed(`${origin}${given}`, `there is no such setting.${advice}`);
    }
    const setting: Setting<unknown> = settingsTable[name];
    const value = setting.read(input);
    if (value === undefined) {
      const got = setting.secret || setting.mayHoldSecret?.(input) ? 'something else' : quoted(input);
      throw malformed(`${origin}${given}`, `expected ${setting.expected}, got ${got}.`);
    }
    read[name] = value;
  }
  return read;
}

/** Pairs whose first setting may not exceed the second: the larger value could never be reached. */
const ordered = [
  ['userTokenLifeMs', 'userTokenLifeMaxMs'],
  ['adminSessionLifeMs', 'adminSessionLifeMaxMs'],
  ['attemptDelayMs', 'attemptDelayMaxMs'],
  ['headersTimeMs', 'requestTimeMs'],
  ['valueBytesMax', 'bodyBytesMax'],
  ['itemValuesMax', 'bodyValuesMax'],
  ['likePatternMax', 'likePatternsMax'],
  ['maxRecordDefault', 'maxRecordMax'],
] as const;

function refuseContradictions(settled: Settings): void {
  for (const [lower, upper] of ordered) {
    if (settled[lower] > settled[upper]) {
      throw malformed(lower, `expected at most ${upper} (${settled[upper]}), got ${settled[lower]}.`);
    }
  }
  if ((settled.adminIssuer === '') !== (settled.adminClientId === '')) {
    throw malformed('adminIssuer', 'it needs adminClientId, and the other way round.');
  }
}
