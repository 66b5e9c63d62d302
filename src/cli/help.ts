/** The help, made from the declared commands, flags and settings. */
import { flagName, type Setting, settingNames, settingsTable } from '../config.ts';
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
    'Exit status: 0 done, 1 refused or failed, 2 wrong use of the command line or a wrong setting.',
  ].join('\n');
}

export function commandHelp(command: Command): string {
  const rows = command.actions.map(({ name, summary }) => [`  ${name}`, summary]);
  return [command.summary, '', `Usage: rowhouse ${command.name} <action> [flags]`, '', aligned(rows)].join('\n');
}

export function actionHelp(command: Command, action: Action): string {
  const argument = action.argument === undefined ? [] : [[`  <${action.argument.name}>`, action.argument.meaning]];
  const { expected, meaning, default: folder } = settingsTable.storage;
  const storage = [`  --storage ${expected}`, `${meaning} (${JSON.stringify(folder)})`];
  const common = [...flagRows(commonFlags), ...(action.settings === 'none' ? [] : [storage])];
  const settings = action.settings === 'all' ? ['', 'Settings:', aligned(settingRows())] : [];
  return [
    action.summary,
    '',
    `Usage: ${usage(command, action)}`,
    '',
    aligned([...argument, ...flagRows(action.flags), ...common, ['  --help', 'Show this help.']]),
    ...settings,
  ].join('\n');
}

/** The line that shows how an action is called: what is required, and what may be there in brackets. */
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

function settingRows(): string[][] {
  return settingNames.flatMap((name) => {
    const flag = flagName(name);
    const setting: Setting<unknown> = settingsTable[name];
    if (flag === null || name === 'storage') return [];
    const unit = setting.unit === '' ? '' : `, ${setting.unit}`;
    const value = JSON.stringify(setting.default);
    return [[`  --${flag}`, `${setting.meaning} (${value}${unit})`]];
  });
}
