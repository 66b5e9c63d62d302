/** The settings in force and the source of each. Never contains a secret or a value that may hold one. */
import { defaults, type SettingName, type Settings, settingNames, settingsTable } from '../config.ts';
import type { SettingOrigin, SettingOrigins } from '../load-settings.ts';
import type { Setting } from '../setting.ts';
import { parseLocation, redactedLocation } from '../storage/location.ts';
import type { Permitted } from './authorize.ts';

export interface SettingInForce {
  readonly name: SettingName;
  /** As written in an environment variable; null for a secret. */
  readonly value: string | null;
  readonly default: string | null;
  readonly unit: string;
  readonly meaning: string;
  /** `program`: given by the code that started the service. */
  readonly source: SettingOrigin['source'] | 'default' | 'program';
  /** The path of the file, the variable, or the flag. */
  readonly from: string | null;
}

/** In the order of the reference. */
export function settingsInForce(
  { settings, origins }: { readonly settings: Settings; readonly origins: SettingOrigins },
  _actor: Permitted<'setting.read'>,
): SettingInForce[] {
  return settingNames.map((name) => {
    const { unit, meaning }: Setting<unknown> = settingsTable[name];
    const isDefault = String(settings[name]) === String(defaults[name]);
    const { source, name: from } = origins[name] ?? { source: isDefault ? 'default' : 'program', name: null };
    return { name, value: told(name, settings), default: told(name, defaults), unit, meaning, source, from };
  });
}

function told(name: SettingName, settings: Settings): string | null {
  if (settingsTable[name].secret) return null;
  // An address may name a user and a password.
  if (name !== 'storage') return String(settings[name]).replace(/\/\/[^/?#]*@/, '//');
  const location = parseLocation(settings.storage);
  return location.engine === 'sqlite' ? settings.storage : redactedLocation(location);
}
