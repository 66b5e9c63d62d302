/** Reads a command's settings from its flags, the environment, and the settings file. */
import { existsSync, readFileSync } from 'node:fs';
import { flagName, otherEnvironmentNames, type SettingName, settingNames, settingsTable } from '../config.ts';
import { ServiceError } from '../errors.ts';
import { type LoadedSettings, loadWithOrigins, type SettingSources } from '../load-settings.ts';
import { memoryOfMachine } from '../memory.ts';
import { nearest } from '../nearest.ts';
import { type Action, UsageError } from './command.ts';

/** Read from the working folder when it is there and no other file is named. */
const usualFile = 'rowhouse.json';

/** Settings that an action takes as flags, by flag name, and whether each may come without a value. */
export function settingsFlagsOf({ settings }: Pick<Action, 'settings'>): Map<string, boolean> {
  const taken = new Map<string, boolean>();
  const names: readonly SettingName[] = settings === 'all' ? settingNames : settings === 'none' ? [] : ['storage'];
  for (const name of names) {
    const flag = flagName(name);
    if (flag !== null) taken.set(flag, typeof settingsTable[name].default === 'boolean');
  }
  return taken;
}

/** @throws UsageError naming the wrong or unknown setting, or why the file can't be read. */
export function settingsOf(
  flags: Readonly<Record<string, string | boolean>>,
  variables: Readonly<Record<string, string | undefined>>,
  configFlag: string | undefined,
): LoadedSettings {
  const path = configFlag ?? (variables[otherEnvironmentNames.config] || undefined);
  const file = path ?? (existsSync(usualFile) ? usualFile : undefined);
  try {
    return loadWithOrigins({
      flags,
      environment: variables,
      memoryBytes: memoryOfMachine(),
      nearest,
      ...(file === undefined ? {} : { file: readSettingsFile(file) }),
    });
  } catch (error) {
    if (error instanceof ServiceError) throw new UsageError(error.message);
    throw error;
  }
}

function readSettingsFile(path: string): NonNullable<SettingSources['file']> {
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`The settings file ${path} can't be read (${(error as NodeJS.ErrnoException).code}).`);
  }
  try {
    return { path, content: JSON.parse(content) };
  } catch {
    // The parser's own message would quote the file, and a secret with it.
    throw new UsageError(`The settings file ${path} is not JSON.`);
  }
}
