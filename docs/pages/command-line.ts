/** The reference of the command line, made from the declared commands. */
import { type Action, type Command, commonFlags, type Flags, flagText } from '../../src/cli/command.ts';
import { commands } from '../../src/cli/commands.ts';
import { usage } from '../../src/cli/help.ts';
import { settingsTable } from '../../src/config.ts';
import { code, generatedNote, page, table } from './markdown.ts';

export function commandLinePage(): string {
  return page(
    '# Command line',
    generatedNote('src/cli/'),
    [
      'From the project folder the command is `npx rowhouse`, or `node bin/rowhouse.js`. `rowhouse --help`, `rowhouse <command> --help`',
      'and `rowhouse <command> <action> --help` have the same content as this page. `rowhouse serve --help` shows the usual settings, and',
      '`rowhouse serve --help --all` every one.',
    ].join('\n'),
    [
      'Commands other than `serve` work on the data folder itself, even while a server runs on it; their changes take effect in',
      'the server within `sessionCacheMs`. `demo token` is the exception; it is a client of a running server.',
    ].join('\n'),
    'Exit status: 0 done, 1 refused or failed, 2 an invalid command line or setting.',
    'Every action takes these flags too:',
    flagTable({
      ...commonFlags,
      storage: {
        placeholder: settingsTable.storage.expected,
        meaning: `${settingsTable.storage.meaning} ${code(settingsTable.storage.default)} when absent.`,
        presence: 'optional',
        expected: '',
        read: String,
      },
    }),
    table(
      ['command', 'what it is for'],
      commands.map(({ name, summary }) => [`[${name}](#rowhouse-${name})`, summary]),
    ),
    ...commands.flatMap(sectionsOf),
  );
}

function sectionsOf(command: Command): string[] {
  return [
    `## rowhouse ${command.name}`,
    command.summary,
    ...command.actions.flatMap((action) => actionSection(command, action)),
  ];
}

function actionSection(command: Command, action: Action): string[] {
  const { name, summary, argument, flags, settings } = action;
  return [
    ...(name === '' ? [] : [`### ${command.name} ${name}`]),
    ...(summary === command.summary ? [] : [summary]),
    `\`\`\`text\n${usage(command, action)}\n\`\`\``,
    ...(argument === undefined ? [] : [`${code(`<${argument.name}>`)}: ${argument.meaning}`]),
    ...(Object.keys(flags).length === 0 ? [] : [flagTable(flags)]),
    ...(settings === 'none' ? [`${code('--storage')} is not a flag of this action.`] : []),
    ...(settings === 'all' ? ['Every [setting](settings.md) except secrets is also a flag.'] : []),
  ];
}

function flagTable(flags: Flags): string {
  const rows = Object.entries(flags).map(([name, { placeholder, presence, meaning }]) => [
    code(placeholder === null ? flagText(name) : `${flagText(name)} ${placeholder}`),
    presence === 'repeated' ? 'no, may be repeated' : presence === 'required' ? 'yes' : 'no',
    meaning,
  ]);
  return table(['flag', 'required', 'meaning'], rows);
}
