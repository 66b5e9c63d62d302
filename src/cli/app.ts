/** `rowhouse app`: applications of a company, their keys, and who may use them. */
import type { AccountDefaults, Application } from '../directory/applications.ts';
import type { Directory } from '../directory/directory.ts';
import { shown } from '../errors.ts';
import { card, line, table } from './answer.ts';
import { action, type Command, choice, id, optional, repeated, text, UsageError } from './command.ts';
import { applicationOf, groupFlag, groupOf, roleOf } from './references.ts';
import { switches } from './switches.ts';

const company = id('The company.');
const app = text('<appId>', 'The application.');
const key = optional(text('<key>', 'The app key; a random one when absent.'));
const localAccounts = optional(
  choice(['on', 'off'], 'Whether its users may sign in with a password (rowhouse user password).'),
);
const accounts = {
  accounts: optional(choice(['refuse', 'create'], 'What happens to an unknown account at sign-in.')),
  defaultGroup: optional(text('<id or name>', 'Group of the accounts that are created at sign-in.')),
  defaultRole: optional(text('<id or name>', 'Role of the accounts that are created at sign-in.')),
};

export const appCommand: Command = {
  name: 'app',
  summary: 'Applications of a company, their keys, and the groups that may use them.',
  actions: [
    action({
      name: 'list',
      summary: 'Lists the applications of a company.',
      flags: { company },
      async run({ company: companyId }, workplace) {
        const applications = await (await workplace.directory()).applications.list(companyId);
        const columns = {
          app: (one: Shown) => one.appId,
          name: (one: Shown) => one.name,
          accounts: (one: Shown) => one.accountPolicy,
          disabled: (one: Shown) => one.disabled,
        };
        return table(applications.map(shownApplication), columns, `Company ${companyId} has no applications.`);
      },
    }),
    action({
      name: 'add',
      summary: 'Adds an application and shows its app key, this one time.',
      flags: {
        company,
        app: text('<appId>', 'Its id in paths: letters, digits, ".", "_" and "-".'),
        name: optional(text('<name>', 'Its name, for people; the id when absent.')),
        key,
        group: repeated(
          text('<id or name>', 'A group that may use it; may be given several times. All groups when absent.'),
        ),
        ...accounts,
      },
      async run({ company: companyId, app: appId, name, key: appKey, group, ...policy }, workplace) {
        const directory = await workplace.directory();
        const groups = await Promise.all(group.map((named) => groupOf(directory, companyId, named)));
        const application = {
          ...(name === undefined ? {} : { name }),
          groupIds: groups.map(({ id }) => id),
          ...(await accountsOf(directory, companyId, policy)),
        };
        const acting = await workplace.acting(deedOn('create', companyId, appId, application));
        const key = appKey === undefined ? {} : { appKey };
        const made = await acting.applications.create({ companyId, appId, ...application, ...key });
        const added = `Application ${appId} was added to company ${companyId}.`;
        return line(`${added}\nApp key, shown only now: ${made.appKey}`, {
          ...shownApplication(made.application),
          appKey: made.appKey,
        });
      },
    }),
    action({
      name: 'show',
      summary: 'Shows an application with its groups and versions.',
      flags: { company, app },
      async run({ company: companyId, app: appId }, workplace) {
        const directory = await workplace.directory();
        const application = shownApplication(await applicationOf(directory, companyId, appId));
        const groupIds = await directory.applications.groupIds(companyId, appId);
        const versions = (await directory.versions.list(companyId, appId)).map(({ version }) => version);
        return card(
          {
            app: appId,
            name: application.name,
            groups: groupIds,
            versions,
            accounts: application.accountPolicy,
            'local accounts': application.localAccounts,
            'default group': application.defaultGroupId,
            'default role': application.defaultRoleId,
            'CORS origins': application.corsOrigins,
            disabled: application.disabled,
          },
          { ...application, groupIds, versions },
        );
      },
    }),
    action({
      name: 'update',
      summary: 'Changes the name of an application, the origins that may call, or which accounts it takes.',
      flags: {
        company,
        app,
        name: optional(text('<name>', 'The new name.')),
        corsOrigin: repeated(
          text('<origin>', 'Of these origins scripts may call, and of no others; may be given several times, or none.'),
        ),
        localAccounts,
        ...accounts,
      },
      async run({ company: companyId, app: appId, name, corsOrigin, localAccounts: local, ...policy }, workplace) {
        const directory = await workplace.directory();
        const defaults = await accountsOf(directory, companyId, policy);
        const changes = {
          ...(name === undefined ? {} : { name }),
          ...(corsOrigin.length === 0 ? {} : { corsOrigins: corsOrigin.filter((origin) => origin !== 'none') }),
          ...(local === undefined ? {} : { localAccounts: local === 'on' }),
          ...(defaults === undefined ? {} : { accounts: defaults }),
        };
        const acting = await workplace.acting(deedOn('update', companyId, appId, changes));
        const changed = await acting.applications.update(companyId, appId, changes);
        return line(`Application ${appId} was changed.`, shownApplication(changed));
      },
    }),
    action({
      name: 'key',
      summary: 'Replaces the app key and shows the new one, this one time; the old one stops working.',
      flags: { company, app, key },
      async run({ company: companyId, app: appId, key: wanted }, workplace) {
        const directory = await workplace.acting(deedOn('key', companyId, appId));
        const appKey = await directory.applications.replaceKey(companyId, appId, wanted);
        return line(`App key of ${appId}, shown only now: ${appKey}`, { companyId, appId, appKey });
      },
    }),
    groupAction(
      'allow',
      'Lets a group use an application; while none is named, every group of the company may.',
      'may use',
    ),
    groupAction('deny', 'Takes an application from a group.', 'is not named among those that use'),
    ...switches('an application', { company, app }, async ({ company: companyId, app: appId }, workplace, disabled) => {
      const directory = await workplace.acting(deedOn('update', companyId, appId, { disabled }));
      const now = await directory.applications.update(companyId, appId, { disabled });
      return { called: `Application ${appId}`, now: shownApplication(now) };
    }),
  ],
};

function groupAction(name: 'allow' | 'deny', summary: string, result: string) {
  return action({
    name,
    summary,
    flags: { company, app, group: groupFlag },
    async run({ company: companyId, app: appId, group }, workplace) {
      const directory = await workplace.directory();
      const { id: groupId, name: groupName } = await groupOf(directory, companyId, group);
      const { applications } = await workplace.acting(deedOn(name, companyId, appId, { groupId }));
      if (name === 'allow') await applications.allowGroup(companyId, appId, groupId);
      else await applications.denyGroup(companyId, appId, groupId);
      const groupIds = await directory.applications.groupIds(companyId, appId);
      const who = groupIds.length === 0 ? '\nNo group is named now, so every group of the company may use it.' : '';
      return line(`Group ${groupId} "${groupName}" ${result} application ${appId} now.${who}`, {
        companyId,
        appId,
        groupIds,
      });
    },
  });
}

function deedOn(
  what: 'create' | 'update' | 'key' | 'allow' | 'deny',
  companyId: number,
  appId: string,
  detail: Readonly<Record<string, unknown>> = {},
) {
  return { action: `application.${what}`, target: `application ${shown(appId)}`, companyId, appId, detail };
}

async function accountsOf(
  directory: Directory,
  companyId: number,
  given: {
    readonly accounts: 'refuse' | 'create' | undefined;
    readonly defaultGroup: string | undefined;
    readonly defaultRole: string | undefined;
  },
): Promise<AccountDefaults | undefined> {
  const { accounts: accountPolicy, defaultGroup, defaultRole } = given;
  if (accountPolicy === undefined) {
    if (defaultGroup === undefined && defaultRole === undefined) return undefined;
    throw new UsageError('--accounts create is needed for --default-group and --default-role to mean something.');
  }
  return {
    accountPolicy,
    ...(defaultGroup === undefined ? {} : { defaultGroupId: (await groupOf(directory, companyId, defaultGroup)).id }),
    ...(defaultRole === undefined ? {} : { defaultRoleId: (await roleOf(directory, companyId, defaultRole)).roleId }),
  };
}

/** Without the hash of the key, which is nobody's business. */
function shownApplication({ appKeyHash: _, ...application }: Application): Omit<Application, 'appKeyHash'> {
  return application;
}

type Shown = ReturnType<typeof shownApplication>;
