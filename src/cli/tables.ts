/**
 * `rowhouse tables`: keeps the tables of a version in a file under version control, compares it with a service and
 * applies it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { otherEnvironmentNames } from '../config.ts';
import { malformed, ServiceError } from '../errors.ts';
import { parseTables } from '../schema/definition.ts';
import { differences, type WrittenChange, wantedTables } from '../schema/difference.ts';
import { inTurns } from '../time-slices.ts';
import { type Answer, line } from './answer.ts';
import { action, type Command, id, optional, text, toggle, UsageError, type ValuesOf } from './command.ts';
import type { CommandContext } from './context.ts';
import { type Changed, type ChangeOutcome, type TablesService, tablesService } from './tables-service.ts';

const { token: tokenVariable } = otherEnvironmentNames;
const fileDefault = 'tables.json';

const where = {
  url: text('<url>', 'The address of the service, including its context root.'),
  company: id('The company.'),
  app: text('<appId>', 'The application.'),
  version: text('<version>', 'The version, like 1.0.0.'),
  file: optional(text('<path>', `The file; ${fileDefault} when absent.`)),
};

type Where = ValuesOf<typeof where>;

export const tablesCommand: Command = {
  name: 'tables',
  summary: `The tables of a version as a file, for version control and for the next version. ${tokenVariable} holds the token of a user who may define tables.`,
  actions: [
    action({
      name: 'pull',
      summary: 'Writes the tables of a version into the file.',
      settings: 'none',
      flags: where,
      async run(values, context) {
        const { tables } = await serviceOf(values, context).read();
        const path = values.file ?? fileDefault;
        writeFileSync(path, fileText(tables));
        return line(`${path} has the ${count(tables.length, 'table')} of version ${values.version}.`, { path, tables });
      },
    }),
    action({
      name: 'diff',
      summary:
        'Lists the changes that would bring the tables of a version in line with the file. Exit status 1 if there are any.',
      settings: 'none',
      flags: where,
      async run(values, context) {
        const { changes } = await compare(values, context);
        const answer = planned(changes, changes);
        return changes.length === 0 ? answer : { ...answer, status: 1 };
      },
    }),
    action({
      name: 'push',
      summary:
        'Brings the tables of a version in line with the file, all or nothing. Asks before records or values are dropped; these stay in the bin for some time.',
      settings: 'none',
      flags: {
        ...where,
        dryRun: toggle('Only show the effects.'),
        yes: toggle('Drop without asking.'),
      },
      async run(values, context) {
        const { service, revision, changes } = await compare(values, context);
        if (changes.length === 0) return planned(changes, changes);
        const rehearsed = await service.change({ revision, changes, dryRun: true });
        const plan = planned(changes, rehearsed.changes, rehearsed);
        if (values.dryRun) return plan;
        if (isLoss(changes) && !values.yes) await confirm(plan.text, context);
        else if (context.isTerminal) context.say(plan.text);
        const done = await service.change({ revision, changes, dryRun: false });
        const told = `${count(changes.length, 'change')} made; the tables have revision ${done.revision}.`;
        return line(told, { revision: done.revision, versions: rehearsed.versions, changes: done.changes });
      },
    }),
  ],
};

function serviceOf({ url, company, app, version }: Where, { variables }: CommandContext): TablesService {
  const token = variables[tokenVariable];
  if (token === undefined || token === '') {
    throw new UsageError(`${tokenVariable}: expected the token of a user who may define tables, got none.`);
  }
  return tablesService({ url, company, app, version, token });
}

async function compare(values: Where, context: CommandContext) {
  const { settings } = context;
  const wanted = wantedTables(readTables(values.file ?? fileDefault), settings);
  const service = serviceOf(values, context);
  const { tables, revision } = await service.read();
  const present = await inTurns(parseTables(tables, settings));
  return { service, revision, changes: differences(present, wanted) };
}

/** @throws ServiceError `malformed` for a file that is missing or not JSON */
function readTables(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const advice = (error as NodeJS.ErrnoException).code === 'ENOENT' ? ' "rowhouse tables pull" makes it.' : '';
    throw malformed(path, `expected a file of tables, ${(error as Error).message}.${advice}`);
  }
}

/** One line per column and index, so that changing one shows as one changed line. */
function fileText(tables: readonly unknown[]): string {
  const list = (name: string, items: readonly unknown[]) =>
    items.length === 0 ? `"${name}": []` : `"${name}": [\n        ${items.map(spaced).join(',\n        ')}\n      ]`;
  const texts = tables.map((table) => {
    const {
      name,
      primary_key: _,
      columns = [],
      indexes = [],
      ...others
    } = table as Record<string, unknown> & {
      columns?: unknown[];
      indexes?: unknown[];
    };
    const rest = Object.entries(others).map(([member, value]) => `"${member}": ${JSON.stringify(value)}`);
    const members = [`"name": ${JSON.stringify(name)}`, ...rest, list('columns', columns), list('indexes', indexes)];
    return `    {\n      ${members.join(',\n      ')}\n    }`;
  });
  return texts.length === 0 ? '{ "tables": [] }\n' : `{\n  "tables": [\n${texts.join(',\n')}\n  ]\n}\n`;
}

/** On one line, spaced as people write it. */
function spaced(value: unknown): string {
  return JSON.stringify(value, null, 1).replaceAll(/\n\s*/g, ' ');
}

/** The plan as text and JSON. */
function planned(
  changes: readonly WrittenChange[],
  outcomes: readonly ChangeOutcome[],
  { versions, roles = [] }: Pick<Changed, 'versions' | 'roles'> = { versions: [] },
): Answer {
  if (changes.length === 0) return line('The tables match the file.', { changes });
  const lines = changes.map((change, index) => `${sentence(change)}${cost(outcomes[index])}`);
  if (roles.length > 0) {
    lines.push(`Rights to tables go by name; check those of the roles: ${roles.join(', ')}.`);
  }
  if (versions.length > 1) lines.push(`These versions share the tables: ${versions.join(', ')}.`);
  return line(lines.join('\n'), {
    changes: changes.map((change, index) => ({ ...change, ...outcomes[index] })),
    versions,
    roles,
  });
}

function sentence(change: WrittenChange): string {
  const { op, table, column, to, columns, ...others } = change;
  const details = Object.entries(others).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  switch (op) {
    case 'addTable':
      return `+ table ${table}`;
    case 'dropTable':
      return `- table ${table}`;
    case 'renameTable':
      return `~ table ${table} → ${to}`;
    case 'changeTable':
      return `~ table ${table}: ${details.join(', ')}`;
    case 'addColumn': {
      const { colName, references, fullText, ...type } = column as Readonly<Record<string, unknown>>;
      const referred = references === undefined ? '' : `, references ${references}`;
      const searched = fullText === true ? ', full text' : '';
      return `+ ${table}.${colName} ${Object.values(type).join(' ')}${referred}${searched}`;
    }
    case 'dropColumn':
      return `- ${table}.${column}`;
    case 'renameColumn':
      return `~ ${table}.${column} → ${to}`;
    case 'changeColumn':
      return `~ ${table}.${column}: ${details.join(', ')}`;
    default:
      return `${op === 'addIndex' ? '+' : '-'} index of ${table} (${(columns as string[]).join(', ')})${change.unique === true ? ', unique' : ''}`;
  }
}

function cost({ rows, lost, timeMs, checked = true }: ChangeOutcome = { op: '' }): string {
  const parts = [
    ...(lost === undefined || lost === 0 ? [] : [`${count(lost, 'value')} go to the bin`]),
    ...(rows === undefined || rows === 0
      ? []
      : [`${count(rows, 'record')} read, about ${Math.ceil((timeMs ?? 0) / 1_000)} s`]),
    ...(checked ? [] : ['not fully checked: may still be refused because of the records']),
  ];
  return parts.length === 0 ? '' : `  (${parts.join('; ')})`;
}

const count = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`;

const isLoss = (changes: readonly WrittenChange[]) =>
  changes.some(({ op }) => op === 'dropTable' || op === 'dropColumn');

/** @throws ServiceError `malformed` when the answer is not yes, or nobody is there to answer */
async function confirm(plan: string, context: CommandContext): Promise<void> {
  const advice = 'Nothing was changed. Use --yes to apply without asking.';
  if (!context.isTerminal || !process.stdin.isTTY) {
    throw new ServiceError('malformed', `Something would be dropped: ${plan.replaceAll('\n', '; ')}. ${advice}`);
  }
  context.say(plan);
  const asked = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await asked
    .question('Tables or columns will be dropped. Continue? (yes/no) ')
    .finally(() => asked.close());
  if (!/^y(?:es)?$/i.test(answer.trim())) throw new ServiceError('malformed', advice);
}
