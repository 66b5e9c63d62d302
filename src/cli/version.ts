/** `rowhouse version`: versions of an application, and which tables each one has. */
import { operator } from '../actor.ts';
import { createVersion, updateVersion } from '../administration/versions.ts';
import type { NewVersion, Version } from '../directory/versions.ts';
import { given } from '../entities/entity.ts';
import { version } from '../entities/tenants.ts';
import { line } from './answer.ts';
import { action, type Command, id, optional, text, toggle, UsageError } from './command.ts';
import { flagsOf, inputOf, listOf } from './entities.ts';
import { switches } from './switches.ts';

const company = id('The company.');
const app = text('<appId>', 'The application.');
const versionFlag = text('<version>', 'The version, like 1.0.0.');
const strictHandling = toggle('Refuse unknown members and parameters, unless a request prefers otherwise.');

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
        const listed = listOf(version, versions, 'There are no versions.');
        return { ...listed, json: versions.map(printed) };
      },
    }),
    action({
      name: 'add',
      summary: 'Adds a version, by default with empty tables of its own.',
      flags: {
        company,
        app,
        version: versionFlag,
        shareWith: optional(text('<version>', 'Share the tables and records of that version.')),
        copyOf: optional(text('<version>', 'Begin with a copy of the tables and records of that version.')),
        ...flagsOf(version, 'add'),
        development: toggle('Mark it as in development: its tables may be reset.'),
        strictHandling,
      },
      async run({ company: companyId, app: appId, version: added, shareWith, copyOf, ...values }, context) {
        const { development, strictHandling: strict } = values;
        const made = await createVersion(await context.accounts(), operator, {
          ...inputOf(version, 'add', values),
          companyId,
          appId,
          version: added,
          development,
          strictHandling: strict,
          ...given({ tables: tablesOf(shareWith, copyOf) }),
        });
        const text = `Version ${made.version} was added to ${appId}, with data space ${made.spaceId}.`;
        return line(text, printed(made));
      },
    }),
    action({
      name: 'update',
      summary:
        'Changes the log level of a version, whether it is in development, or how strictly requests are handled.',
      flags: {
        company,
        app,
        version: versionFlag,
        ...flagsOf(version, 'update'),
        development: toggle('Mark it as in development: its tables may be reset.'),
        released: toggle('Mark it as released: its tables can no longer be reset.'),
        strictHandling,
        lenientHandling: toggle('Ignore unknown members and parameters, unless a request prefers otherwise.'),
      },
      async run({ company: companyId, app: appId, version: named, ...values }, context) {
        const { development, released, strictHandling: strict, lenientHandling: lenient } = values;
        if (strict && lenient) throw new UsageError('Give --strict-handling or --lenient-handling, not both.');
        if (development && released) throw new UsageError('Give --development or --released, not both.');
        const changed = await updateVersion(await context.accounts(), operator, companyId, appId, named, {
          ...inputOf(version, 'update', values),
          ...(development || released ? { development } : {}),
          ...(strict || lenient ? { strictHandling: strict } : {}),
        });
        return line(`Version ${changed.version} of ${appId} was changed.`, printed(changed));
      },
    }),
    ...switches(
      'a version',
      { company, app, version: versionFlag },
      async ({ company: companyId, app: appId, version: named }, context, disabled) => {
        const now = await updateVersion(await context.accounts(), operator, companyId, appId, named, { disabled });
        return { called: `Version ${now.version} of ${appId}`, now: printed(now) };
      },
    ),
  ],
};

function printed({ disabled: versionDisabled, ...others }: Version) {
  return { ...others, versionDisabled };
}

function tablesOf(shareWith: string | undefined, copyOf: string | undefined): NewVersion['tables'] {
  if (shareWith !== undefined && copyOf !== undefined) {
    throw new UsageError('Give --share-with or --copy-of, not both.');
  }
  if (shareWith !== undefined) return { shareWith };
  return copyOf === undefined ? undefined : { copyOf };
}
