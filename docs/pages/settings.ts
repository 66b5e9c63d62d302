/** The reference of all settings, made from the table in `config.ts`. */
import {
  environmentName,
  flagName,
  otherEnvironmentNames,
  type Setting,
  type SettingName,
  settingNames,
  settingsTable,
} from '../../src/config.ts';
import { code, generatedNote, page, table } from './markdown.ts';

/** Defaults that depend on the machine, in words: the page must be the same wherever it is made. */
const ofMachine: Partial<Record<SettingName, string>> = { readerThreads: 'processors - 1' };

export function settingsPage(): string {
  return page(
    '# Settings',
    generatedNote('src/config.ts'),
    [
      'A setting is given as a flag of `rowhouse serve`, as a variable of the environment, or as a member of a settings',
      'file. Flags win over the environment, the environment over the file, the file over the defaults. An unknown or',
      'invalid setting is refused at the start, with what is expected.',
    ].join('\n'),
    [
      'The file is JSON, an object with the settings by name: `{"port": 9000, "zone": "Asia/Ho_Chi_Minh"}`. It is named by the flag',
      `\`--config\` or the variable \`${otherEnvironmentNames.config}\`; without them \`rowhouse.json\` in the working folder is read when`,
      'it is there. Secrets have no flag, because others on the machine can read command lines. The flag of a setting of yes or no',
      'may stand alone, which means yes; a value goes behind `=`: `--attempt-limits=false`.',
    ].join('\n'),
    table(['setting', 'flag', 'variable', 'default', 'meaning', 'what fits'], settingNames.map(rowOf)),
    'Variables that begin with `ROWHOUSE_` that are not settings (those of the tests begin with `ROWHOUSE_TEST_`; any other is refused):',
    table(
      ['variable', 'meaning'],
      [
        [code(otherEnvironmentNames.config), 'Path of the settings file.'],
        [code(otherEnvironmentNames.clientSecret), 'The client secret, for `rowhouse client add` and `client update`.'],
      ],
    ),
  );
}

function rowOf(name: SettingName): string[] {
  const setting: Setting<unknown> = settingsTable[name];
  const flag = flagName(name);
  return [
    code(name),
    flag === null ? 'none' : code(`--${flag}`),
    code(environmentName(name)),
    ofMachine[name] ?? valueText(setting),
    setting.meaning,
    setting.expected,
  ];
}

const scales: Readonly<Record<string, readonly (readonly [number, string])[]>> = {
  bytes: [
    [1024 ** 2, 'MiB'],
    [1024, 'KiB'],
  ],
  milliseconds: [
    [86_400_000, 'd'],
    [3_600_000, 'h'],
    [60_000, 'min'],
    [1_000, 's'],
  ],
};

/** A number with its unit, and large ones also in a larger unit. */
function valueText({ default: value, unit }: Setting<unknown>): string {
  if (typeof value !== 'number') return Array.isArray(value) || value === '' ? 'nothing' : code(String(value));
  const scale = scales[unit]?.find(([size]) => value >= size && value % size === 0);
  const larger = scale === undefined ? '' : ` (${value / scale[0]} ${scale[1]})`;
  return `${code(value)} ${unit === 'port' ? '' : unit}${larger}`.trim();
}
