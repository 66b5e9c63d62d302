/** `rowhouse session`: lists and ends the sessions of a company's users. */
import { operator } from '../actor.ts';
import { endUserSessions, listUserSessions } from '../administration/sessions-of-users.ts';
import type { SessionInfo } from '../auth/session-list.ts';
import { normalVersion } from '../directory/versions.ts';
import { given } from '../entities/entity.ts';
import { formatInstant, zoneOf } from '../schema/time.ts';
import { line, table } from './answer.ts';
import { action, type Command, id, optional, text, toggle, UsageError } from './command.ts';
import type { CommandContext } from './context.ts';
import { userOf } from './references.ts';

const selection = {
  company: id('The company.'),
  user: optional(text('<account or id>', 'Only sessions of this user.')),
  device: optional(text('<UDID>', 'Only sessions on this device.')),
  app: optional(text('<appId>', 'Only sessions in this application.')),
  version: optional(text('<version>', 'Only sessions in this version of the application.')),
};

export const sessionCommand: Command = {
  name: 'session',
  summary: 'Sessions of the users of a company: list and end them.',
  actions: [
    action({
      name: 'list',
      summary: 'Lists sessions, the last used first.',
      flags: {
        ...selection,
        offset: optional({ ...id('Number to skip.'), placeholder: '<number>' }),
        limit: optional({ ...id('Number to show; at most the setting listLimitMax.'), placeholder: '<number>' }),
      },
      async run({ company, user, device, app, version, offset, limit }, context) {
        const deps = await context.accounts();
        const userId = await userIdOf(context, company, user);
        const filter = given({
          userId: userId === undefined ? undefined : String(userId),
          deviceUDID: device,
          appId: app,
          appVersion: version && normalVersion(version),
        });
        const request = { filter, ...given({ offset }), limit: limit ?? 50 };
        const { results, count } = await listUserSessions(deps, operator, company, request);
        const zone = zoneOf(context.settings.zone);
        const columns = {
          session: (one: SessionInfo) => one.id,
          user: (one: SessionInfo) => one.account,
          app: (one: SessionInfo) => `${one.appId} ${one.appVersion}`,
          device: (one: SessionInfo) => one.deviceName ?? one.deviceUDID,
          created: (one: SessionInfo) => formatInstant(one.created, zone),
          'last used': (one: SessionInfo) => formatInstant(one.lastUsed, zone),
        };
        const printed = table(results, columns, `Company ${company} has no such sessions.`);
        const more = count > results.length ? `\n${results.length} of ${count}.` : '';
        return { text: `${printed.text}${more}`, json: { results, count } };
      },
    }),
    action({
      name: 'revoke',
      summary: 'Ends sessions; a running service refuses them within sessionCacheMs.',
      flags: {
        ...selection,
        session: optional(text('<session>', 'Only this session, by its id in "rowhouse session list".')),
        all: toggle('Every session of the company.'),
      },
      async run({ company, user, device, app, version, session, all }, context) {
        const named = [user, device, app, session].some((one) => one !== undefined);
        if (named === Boolean(all)) {
          throw new UsageError('Give --session, --user, --device or --app; or --all for every session of the company.');
        }
        const userId = await userIdOf(context, company, user);
        const ended = await endUserSessions(await context.accounts(), operator, {
          companyId: company,
          ...given({
            userId,
            deviceUdid: device,
            appId: app,
            version: version && normalVersion(version),
            sessionId: session,
          }),
        });
        return line(ended === 1 ? '1 session ended.' : `${ended} sessions ended.`, { ended });
      },
    }),
  ],
};

async function userIdOf(context: CommandContext, company: number, user: string | undefined) {
  return user === undefined ? undefined : (await userOf(await context.directory(), company, user)).id;
}
