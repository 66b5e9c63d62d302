/** Runs one command line: finds the action, reads flags and settings, prints the answer and returns the status. */
import { quoted, ServiceError } from '../errors.ts';
import { nearest } from '../nearest.ts';
import { type Action, type Command, UsageError } from './command.ts';
import { commands } from './commands.ts';
import { openCommandContext } from './context.ts';
import { actionHelp, commandHelp, overview } from './help.ts';
import { parse } from './parse.ts';
import { readSecret } from './secret-input.ts';
import { settingsFlagsOf, settingsOf } from './settings.ts';

/** The environment of a command line. */
export interface CommandLine {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Whether a person reads the output. */
  readonly isTerminal: boolean;
  out(line: string): void;
  error(line: string): void;
  /** Reads passwords; from a terminal or a pipe when absent. */
  secret?(prompt: string): Promise<string>;
}

/** @returns the exit status: 0 done, 1 refused or failed, 2 wrong use or a wrong setting */
export async function run(words: readonly string[], commandProcess: CommandLine): Promise<number> {
  let help = 'rowhouse --help';
  try {
    const [first, second] = words;
    if (first === undefined || first === '--help' || first === '-h' || first === 'help') {
      commandProcess.out(overview(commands));
      return first === undefined ? 2 : 0;
    }
    if (first === '--version') {
      commandProcess.out((await import('../main.ts')).version);
      return 0;
    }
    const command = find(commands, first, 'command');
    help = `rowhouse ${command.name} --help`;
    const only = command.actions.find(({ name }) => name === '');
    if (only === undefined && (second === undefined || second === '--help')) {
      commandProcess.out(commandHelp(command));
      return second === undefined ? 2 : 0;
    }
    const action = only ?? find(command.actions, second as string, 'action');
    help = `rowhouse ${[command.name, action.name, '--help'].filter((word) => word !== '').join(' ')}`;
    const rest = words.slice(only === undefined ? 2 : 1);
    if (rest.includes('--help')) {
      commandProcess.out(actionHelp(command, action, rest.includes('--all')));
      return 0;
    }
    return await perform(action, rest, commandProcess);
  } catch (error) {
    const wrongUse = error instanceof UsageError;
    commandProcess.error(`rowhouse: ${messageOf(error)}${wrongUse ? ` See "${help}".` : ''}`);
    return wrongUse ? 2 : 1;
  }
}

async function perform(action: Action, words: readonly string[], commandProcess: CommandLine): Promise<number> {
  const { values, settings } = parse(action, words, settingsFlagsOf(action));
  const { json } = values;
  const context = openCommandContext({
    ...settingsOf(settings, commandProcess.variables, values.config),
    variables: commandProcess.variables,
    isTerminal: commandProcess.isTerminal && !json,
    say: commandProcess.out,
    warn: commandProcess.error,
    secret: commandProcess.secret ?? readSecret,
  });
  try {
    const answer = await action.run(values, context);
    if (json && answer.json !== undefined) commandProcess.out(JSON.stringify(answer.json, null, 2));
    if (!json && answer.text !== '') commandProcess.out(answer.text);
    return answer.status ?? 0;
  } finally {
    await context.close();
  }
}

function find<Named extends Command | Action>(among: readonly Named[], word: string, what: string): Named {
  const found = among.find(({ name }) => name === word);
  if (found !== undefined) return found;
  const meant = nearest(
    word,
    among.map(({ name }) => name),
  );
  const advice = meant === undefined ? '' : ` Did you mean ${meant}?`;
  throw new UsageError(`There is no ${what} ${quoted(word)}.${advice}`);
}

/** One line. Includes the cause of an internal fault: people who run commands here may know it. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error instanceof ServiceError && error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return `${error.message}${cause}`.replaceAll(/\s*\n\s*/g, ' ');
}
