/** `rowhouse app`: applications of a company, their keys, and who may use them. */
import { operator } from '../actor.ts';
import {
  type ApplicationResponse,
  createApplication,
  getApplication,
  replaceAppKey,
  updateApplication,
} from '../administration/applications.ts';
import type { Application, ApplicationChanges } from '../directory/applications.ts';
import type { Directory } from '../directory/directory.ts';
import { given } from '../entities/entity.ts';
import { application } from '../entities/tenants.ts';
import { card, line } from './answer.ts';
import { action, type Command, choice, id, optional, repeated, text, UsageError, type ValuesOf } from './command.ts';
import { cellsOf, flagsOf, inputOf, listOf } from './entities.ts';
import { groupFlag, groupOf, roleOf } from './references.ts';
import { switches } from './switches.ts';

const company = id('The company.');
const app = text('<appId>', 'The application.');
const key = optional(text('<key>', 'The app key; a random one when absent.'));
const { localAccounts, ...changing } = flagsOf(application, 'update');
const accounts = {
  accounts: optional(choice(['refuse', 'create'], 'What happens to an unknown account at sign-in.')),
  defaultGroup: optional(text('<id or name>', 'Group of accounts created at sign-in.')),
  defaultRole: optional(text('<id or name>', 'Role of accounts created at sign-in.')),
};

export const appCommand: Command = {
  name: 'app',
  summary: 'Applications of a company, their keys, and the groups that may use them.',
  actions: [
    action({
      name: 'list',
      summary: 'Lists the applications of a company.',
      flags: { company },
      async run({ company: companyId }, context) {
        const applications = await (await context.directory()).applications.list(companyId);
        const empty = `Company ${companyId} has no applications.`;
        return listOf(application, applications.map(applicationResponse), empty);
      },
    }),
    action({
      name: 'add',
      summary: 'Adds an application and shows its app key, which is not shown again.',
      flags: {
        company,
        app: text('<appId>', 'Its id in paths: letters, digits, ".", "_" and "-".'),
        ...flagsOf(application, 'add'),
        key,
        group: repeated(
          text('<id or name>', 'A group that may use it; may be given several times. All groups when absent.'),
        ),
        ...accounts,
      },
      async run({ company: companyId, app: appId, key: appKey, group, ...values }, context) {
        const deps = await context.accounts();
        const groups = await Promise.all(group.map((named) => groupOf(deps.directory, companyId, named)));
        const made = await createApplication(deps, operator, companyId, {
          ...inputOf(application, 'add', values),
          appId,
          ...given({ appKey }),
          groupIds: groups.map(({ id }) => id),
          ...(await accountsOf(deps.directory, companyId, values)),
        });
        const added = `Application ${appId} was added to company ${companyId}.`;
        return line(`${added}\nApp key, shown only now: ${made.appKey}`, {
          ...applicationResponse(made.application),
          appKey: made.appKey,
        });
      },
    }),
    action({
      name: 'show',
      summary: 'Shows an application with its groups and versions.',
      flags: { company, app },
      async run({ company: companyId, app: appId }, context) {
        const directory = await context.directory();
        const found = await directory.applications.get(companyId, appId);
        const { groupIds } = found;
        const present = applicationResponse(found);
        const versions = (await directory.versions.list(companyId, appId)).map(({ version }) => version);
        const { accountPolicy, localAccounts: local, disabled } = present;
        const { disabled: _, ...others } = cellsOf(application, present);
        const first = { app: appId, name: present.name, groups: groupIds, versions };
        const cells = { ...first, accounts: accountPolicy, 'local accounts': local, ...others, disabled };
        return card(cells, { ...present, groupIds, versions });
      },
    }),
    action({
      name: 'update',
      summary: 'Changes the name of an application, its allowed origins, or the accounts that it accepts.',
      flags: {
        company,
        app,
        ...changing,
        localAccounts,
        ...accounts,
      },
      async run({ company: companyId, app: appId, ...values }, context) {
        const deps = await context.accounts();
        const changed = await updateApplication(deps, operator, companyId, appId, {
          ...inputOf(application, 'update', values),
          ...(await accountsOf(deps.directory, companyId, values)),
        });
        return line(`Application ${appId} was changed.`, applicationResponse(changed));
      },
    }),
    action({
      name: 'key',
      summary: 'Replaces the app key and shows the new one, which is not shown again. The old one stops working.',
      flags: { company, app, key },
      async run({ company: companyId, app: appId, key: wanted }, context) {
        const change = wanted === undefined ? {} : { appKey: wanted };
        const { appKey } = await replaceAppKey(await context.accounts(), operator, companyId, appId, change);
        return line(`App key of ${appId}, shown only now: ${appKey}`, { companyId, appId, appKey });
      },
    }),
    groupAction(
      'allow',
      'Lets a group use an application; without named groups, every group of the company may.',
      'may use',
    ),
    groupAction('deny', 'Stops a group from using an application.', 'is not named among those that use'),
    ...switches('an application', { company, app }, async ({ company: companyId, app: appId }, context, disabled) => {
      const now = await updateApplication(await context.accounts(), operator, companyId, appId, { disabled });
      return { called: `Application ${appId}`, now: applicationResponse(now) };
    }),
  ],
};

function groupAction(name: 'allow' | 'deny', summary: string, result: string) {
  return action({
    name,
    summary,
    flags: { company, app, group: groupFlag },
    async run({ company: companyId, app: appId, group }, context) {
      const deps = await context.accounts();
      const { id: groupId, name: groupName } = await groupOf(deps.directory, companyId, group);
      const { revision, ...present } = await getApplication(deps, operator, companyId, appId);
      const others = present.groupIds.filter((one) => one !== groupId);
      const wanted = { revision, groupIds: name === 'allow' ? [...others, groupId] : others };
      const { groupIds } = await updateApplication(deps, operator, companyId, appId, wanted);
      const who = groupIds.length === 0 ? '\nNo group is named now, so every group of the company may use it.' : '';
      return line(`Group ${groupId} "${groupName}" ${result} application ${appId} now.${who}`, {
        companyId,
        appId,
        groupIds,
      });
    },
  });
}

/** Values not given are removed with the policy. */
async function accountsOf(
  directory: Directory,
  companyId: number,
  { accounts: accountPolicy, defaultGroup, defaultRole }: Partial<ValuesOf<typeof accounts>>,
): Promise<Pick<ApplicationChanges, 'accountPolicy' | 'defaultGroupId' | 'defaultRoleId'>> {
  if (accountPolicy === undefined) {
    if (defaultGroup === undefined && defaultRole === undefined) return {};
    throw new UsageError('--default-group and --default-role need --accounts create.');
  }
  return {
    accountPolicy,
    defaultGroupId: defaultGroup === undefined ? null : (await groupOf(directory, companyId, defaultGroup)).id,
    defaultRoleId: defaultRole === undefined ? null : (await roleOf(directory, companyId, defaultRole)).roleId,
  };
}

function applicationResponse(one: Application | ApplicationResponse): Omit<Application, 'appKeyHash' | 'groupIds'> {
  const { appKeyHash: _, groupIds: __, ...printed } = { appKeyHash: '', ...one };
  return printed;
}
