/** How a command line is read: the declared flags, what is refused, and the help made from the same declaration. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  action,
  choice,
  clearable,
  flagText,
  id,
  optional,
  repeated,
  text,
  toggle,
  UsageError,
} from '../../src/cli/command.ts';
import { commands } from '../../src/cli/commands.ts';
import { actionHelp, usage, usualSettings } from '../../src/cli/help.ts';
import { parse } from '../../src/cli/parse.ts';
import { flagName, settingNames } from '../../src/config.ts';

const sample = action({
  name: 'add',
  summary: 'Adds.',
  argument: { name: 'word', meaning: 'A word.' },
  flags: {
    company: id('The company.'),
    redirectUri: optional(text('<address>', 'The address.')),
    group: repeated(text('<group>', 'A group.')),
    level: optional(choice(['ERROR', 'MONITOR'], 'The level.')),
    note: clearable('<text>', 'A note.'),
    force: toggle('By force.'),
  },
  run: async () => ({ text: '', json: null }),
});
const settings = new Map([
  ['storage', false],
  ['trust-proxy', true],
]);

test('flags are read as declared, and settings among them separately', () => {
  const words = 'w --company 7 --redirect-uri=https://a --group x --group y --level error --note= --force'.split(' ');
  const parsed = parse(sample, [...words, '--json', '--storage', 'sqlite:/x', '--trust-proxy'], settings);
  assert.deepEqual(parsed.values, {
    word: 'w',
    company: 7,
    redirectUri: 'https://a',
    group: ['x', 'y'],
    level: 'ERROR',
    note: '',
    force: true,
    json: true,
    config: undefined,
  });
  assert.deepEqual(parsed.settings, { storage: 'sqlite:/x', 'trust-proxy': true });
  assert.deepEqual(parse(sample, ['w', '--company', '1', '--trust-proxy=false'], settings).settings, {
    'trust-proxy': 'false',
  });
});

test('flags that are not given are absent, empty or off', () => {
  const { values } = parse(sample, ['w', '--company', '1'], settings);
  assert.deepEqual(values, {
    word: 'w',
    company: 1,
    redirectUri: undefined,
    group: [],
    level: undefined,
    note: undefined,
    force: false,
    json: false,
    config: undefined,
  });
});

const refused: readonly (readonly [words: string, message: string])[] = [
  ['w', '--company is missing: The company.'],
  ['--company 1', '<word> is missing: A word.'],
  ['w x --company 1', 'unexpected "x".'],
  ['w --company one', '--company: expected a whole number from 1 to 2147483647, got "one".'],
  ['w --company 0', '--company: expected a whole number from 1 to 2147483647, got "0"'],
  ['w --company 2147483648', '--company: expected a whole number from 1 to 2147483647, got "2147483648"'],
  ['w --company', '--company needs a value.'],
  ['w --company --force', '--company needs a value.'],
  ['w --company 1 --company 2', '--company was given twice.'],
  ['w --company 1 --storage a --storage b', '--storage was given twice.'],
  ['w --comany 1', 'There is no flag "--comany". Did you mean --company?'],
  ['w --company 1 -x', 'There is no flag "-x".'],
  ['w --company 1 --level loud', '--level: expected one of ERROR, MONITOR, got "loud".'],
  ['w --company 1 --redirect-uri=', '--redirect-uri: expected some text, got "".'],
  ['w --company 1 --force=yes', '--force takes no value.'],
  ['w --company 1 --no-force', 'There is no flag "--no-force".'],
  ['w --company 1 --port 80', 'There is no flag "--port".'],
  ['w --company 1 --trust-proxy false', 'unexpected "false": a yes-or-no flag takes its value as --trust-proxy=false.'],
  ['--company 1 --trust-proxy True', 'unexpected "True": a yes-or-no flag takes'],
  ['w --company 1 --trust-proxy=true false', 'unexpected "false".'],
];

for (const [words, message] of refused) {
  test(`refused: ${words}`, () => {
    assert.throws(
      () => parse(sample, words.split(' '), settings),
      (error) => error instanceof UsageError && error.message.startsWith(message),
      message,
    );
  });
}

test('the help names every flag, and what is required', () => {
  const command = { name: 'sample', summary: 'Samples.', actions: [sample] };
  assert.equal(
    usage(command, sample),
    'rowhouse sample add <word> --company <id> [--redirect-uri <address>] [--group <group> ...]' +
      ' [--level <ERROR|MONITOR>] [--note <text>] [--force]',
  );
  const help = actionHelp(command, sample);
  for (const flag of ['--company', '--redirect-uri', '--force', '--config', '--json', '--storage', '--help']) {
    assert.ok(help.includes(`  ${flag}`), flag);
  }
  assert.match(help, /--company <id> +The company\. Required\./);
  assert.ok(!actionHelp(command, { ...sample, settings: 'none' }).includes('--storage'));
});

test('the help of serve has the usual settings by topic, and with --all every setting with a flag', () => {
  const command = commands.find(({ name }) => name === 'serve');
  const [serve] = command?.actions ?? [];
  assert.ok(command !== undefined && serve !== undefined);
  const flagsIn = (help: string) => [...help.matchAll(/^ {2}--([a-z-]+)/gm)].map(([, flag]) => flag);
  const own = ['config', 'json', 'help', ...Object.keys(serve.flags).map((name) => flagText(name).slice(2))];
  const usual = Object.values(usualSettings).flat().map(flagName);
  assert.deepEqual(flagsIn(actionHelp(command, serve)).sort(), [...own, ...usual].sort());
  const all = settingNames.map(flagName).filter((flag) => flag !== null);
  assert.deepEqual(flagsIn(actionHelp(command, serve, true)).sort(), [...own, ...all].sort());
});

test('every command is declared completely', () => {
  for (const command of commands) {
    assert.match(command.name, /^[a-z]+$/);
    const names = command.actions.map(({ name }) => name);
    assert.equal(new Set(names).size, names.length, command.name);
    for (const one of [command, ...command.actions]) assert.match(one.summary, /^[A-Z].*\.$/, one.summary);
    for (const { flags } of command.actions) {
      for (const [name, { meaning }] of Object.entries(flags)) assert.match(meaning, /^[A-Z].*\.$/s, name);
    }
  }
});
