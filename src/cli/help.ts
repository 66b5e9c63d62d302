/** Generates the help from the declared commands, flags and settings. */
import { flagName, type Setting, type SettingName, settingNames, settingsTable } from '../config.ts';
import { aligned } from './answer.ts';
import { type Action, type Command, commonFlags, type Flag, type Flags, flagText } from './command.ts';

export function overview(commands: readonly Command[]): string {
  const rows = commands.flatMap((command) => [
    [`  ${command.name}`, command.summary],
    ...command.actions.filter(({ name }) => name !== '').map(({ name, summary }) => [`    ${name}`, summary]),
  ]);
  return [
    'Rowhouse keeps application data: tables of records, sign-in, groups and roles, and client logs.',
    '',
    'Usage: rowhouse <command> <action> [flags]',
    '       rowhouse <command> <action> --help',
    '       rowhouse --version',
    '',
    aligned(rows),
    '',
    'Settings come from flags, then from ROWHOUSE_... variables, then from the settings file, then from the defaults.',
    'Exit status: 0 done, 1 refused or failed, 2 an invalid command line or setting.',
  ].join('\n');
}

export function commandHelp(command: Command): string {
  const rows = command.actions.map(({ name, summary }) => [`  ${name}`, summary]);
  return [command.summary, '', `Usage: rowhouse ${command.name} <action> [flags]`, '', aligned(rows)].join('\n');
}

/**
 * The settings that an installation usually sets, by topic. `--all` also lists the others, which keep their defaults.
 */
export const usualSettings = {
  Address: ['port', 'host', 'basePath', 'publicUrl', 'trustProxy'],
  'Data and machine': ['storage', 'workers', 'memoryBytes'],
  Clients: ['tokenHeaders', 'errorStatus', 'zone'],
  Log: ['logLevel'],
} as const satisfies Readonly<Record<string, readonly SettingName[]>>;

/** @param all whether every setting is listed, not only the usual ones */
export function actionHelp(command: Command, action: Action, all = false): string {
  const argument = action.argument === undefined ? [] : [[`  <${action.argument.name}>`, action.argument.meaning]];
  const { expected, meaning, default: folder } = settingsTable.storage;
  const storage = ['  --storage <location>', `${meaning} Given as ${expected}. (${JSON.stringify(folder)})`];
  const flags = [
    ...argument,
    ...flagRows(action.flags),
    ...flagRows(commonFlags),
    ...(action.settings === undefined ? [storage] : []),
    ['  --help', action.settings === 'all' ? 'Show this help; with --all, every setting.' : 'Show this help.'],
  ];
  const topics =
    action.settings === 'all' ? [...Object.entries(usualSettings), ...(all ? [furtherSettings()] : [])] : [];
  const sections = [
    ['', flags] as const,
    ...topics.map(([topic, names]) => [`${topic}:`, settingRows(names)] as const),
  ];
  const lines = aligned(sections.flatMap(([, rows]) => rows)).split('\n');
  return [
    action.summary,
    '',
    `Usage: ${usage(command, action)}`,
    ...sections.flatMap(([heading, rows]) => [
      '',
      ...(heading === '' ? [] : [heading]),
      ...lines.splice(0, rows.length),
    ]),
    ...(topics.length === 0 || all
      ? []
      : ['', `${furtherSettings()[1].length} further settings: rowhouse serve --help --all`]),
  ].join('\n');
}

/** The line that shows how to call an action, with optional parts in brackets. */
export function usage(command: Command, action: Action): string {
  const words = ['rowhouse', command.name, action.name].filter((word) => word !== '');
  if (action.argument !== undefined) words.push(`<${action.argument.name}>`);
  for (const [name, flag] of Object.entries(action.flags)) {
    words.push(flag.presence === 'required' ? written(name, flag) : `[${written(name, flag)}]`);
  }
  if (action.settings === 'all') words.push('[settings]');
  return words.join(' ');
}

function written(name: string, flag: Flag<unknown>): string {
  const value = flag.placeholder === null ? '' : ` ${flag.placeholder}`;
  return `${flagText(name)}${value}${flag.presence === 'repeated' ? ' ...' : ''}`;
}

function flagRows(flags: Flags): string[][] {
  return Object.entries(flags).map(([name, flag]) => [
    `  ${written(name, flag)}`,
    `${flag.meaning}${flag.presence === 'required' ? ' Required.' : ''}`,
  ]);
}

/** The settings with a flag that are not usual. */
function furtherSettings(): readonly [string, readonly SettingName[]] {
  const usual = new Set<SettingName>(Object.values(usualSettings).flat());
  return ['Further settings', settingNames.filter((name) => flagName(name) !== null && !usual.has(name))];
}

function settingRows(names: readonly SettingName[]): string[][] {
  return names.map((name) => {
    const setting: Setting<unknown> = settingsTable[name];
    const unit = setting.unit === '' ? '' : `, ${setting.unit}`;
    const format = name === 'storage' ? ` Given as ${setting.expected}.` : '';
    return [`  --${flagName(name)}`, `${setting.meaning}${format} (${JSON.stringify(setting.default)}${unit})`];
  });
}
