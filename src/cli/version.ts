/** `rowhouse version`: versions of an application, and which tables each one has. */
import { createVersion, updateVersion } from '../administration/versions.ts';
import type { NewVersion, Version } from '../directory/versions.ts';
import { line, table } from './answer.ts';
import { action, type Command, choice, id, optional, text, toggle, UsageError } from './command.ts';
import { switches } from './switches.ts';

const operator = { kind: 'operator' } as const;
const company = id('The company.');
const app = text('<appId>', 'The application.');
const version = text('<version>', 'The version, like 1.0.0.');
const strictHandling = toggle('Refuse unknown members and parameters unless a request asks otherwise.');
const logLevel = optional(choice(['ERROR', 'MONITOR'], 'Level that clients are told to log at.'));

export const versionCommand: Command = {
  name: 'version',
  summary: 'Versions of an application, each with tables of its own unless it shares or copies them.',
  actions: [
    action({
      name: 'list',
      summary: 'Lists the versions of an application, or of all applications of a company.',
      flags: { company, app: optional(app) },
      async run({ company: companyId, app: appId }, context) {
        const versions = await (await context.directory()).versions.list(companyId, appId);
        const columns = {
          app: (one: Version) => one.appId,
          version: (one: Version) => one.version,
          'data space': (one: Version) => one.spaceId,
          shared: (one: Version) => one.sharedSpace,
          'log level': (one: Version) => one.logLevel,
          'in development': (one: Version) => one.development,
          disabled: (one: Version) => one.versionDisabled,
          strict: (one: Version) => one.strictHandling,
        };
        return table(versions, columns, 'There are no versions.');
      },
    }),
    action({
      name: 'add',
      summary: 'Adds a version, with empty tables of its own unless told otherwise.',
      flags: {
        company,
        app,
        version,
        shareWith: optional(text('<version>', 'Use the tables and records of that version together with it.')),
        copyOf: optional(text('<version>', 'Begin with a copy of the tables and records of that version.')),
        logLevel,
        development: toggle('Mark it as in development: its tables may be reset.'),
        strictHandling,
      },
      async run({ company: companyId, app: appId, version: added, development, ...given }, context) {
        const tables = tablesOf(given.shareWith, given.copyOf);
        const made = await createVersion(await context.accounts(), operator, {
          companyId,
          appId,
          version: added,
          development,
          strictHandling: given.strictHandling,
          ...(tables === undefined ? {} : { tables }),
          ...(given.logLevel === undefined ? {} : { logLevel: given.logLevel }),
        });
        return line(`Version ${made.version} was added to ${appId}, with data space ${made.spaceId}.`, made);
      },
    }),
    action({
      name: 'update',
      summary:
        'Changes the log level of a version, whether it is in development, or how strictly requests are handled.',
      flags: {
        company,
        app,
        version,
        logLevel,
        development: toggle('Mark it as in development: its tables may be reset.'),
        released: toggle('Mark it as released: its tables can not be reset any more.'),
        strictHandling,
        lenientHandling: toggle('Pass over unknown members and parameters unless a request asks otherwise.'),
      },
      async run({ company: companyId, app: appId, version: named, logLevel: level, ...mark }, context) {
        const { strictHandling: strict, lenientHandling: lenient } = mark;
        if (strict && lenient) throw new UsageError('Give --strict-handling or --lenient-handling, not both.');
        if (mark.development && mark.released) throw new UsageError('Give --development or --released, not both.');
        const changed = await updateVersion(await context.accounts(), operator, companyId, appId, named, {
          ...(level === undefined ? {} : { logLevel: level }),
          ...(mark.development || mark.released ? { development: mark.development } : {}),
          ...(strict || lenient ? { strictHandling: strict } : {}),
        });
        return line(`Version ${changed.version} of ${appId} was changed.`, changed);
      },
    }),
    ...switches(
      'a version',
      { company, app, version },
      async ({ company: companyId, app: appId, version: named }, context, disabled) => {
        const now = await updateVersion(await context.accounts(), operator, companyId, appId, named, { disabled });
        return { called: `Version ${now.version} of ${appId}`, now };
      },
    ),
  ],
};

function tablesOf(shareWith: string | undefined, copyOf: string | undefined): NewVersion['tables'] {
  if (shareWith !== undefined && copyOf !== undefined) {
    throw new UsageError('Give --share-with or --copy-of, not both.');
  }
  if (shareWith !== undefined) return { shareWith };
  return copyOf === undefined ? undefined : { copyOf };
}
