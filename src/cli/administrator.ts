/** `rowhouse administrator`: who may manage the whole installation. */
import { operator } from '../actor.ts';
import {
  type Administrator,
  administratorNamed,
  createAdministrator,
  listAdministrators,
  setAdministratorPassword,
  updateAdministrator,
} from '../administration/administrators.ts';
import { relinkAdministrator } from '../administration/identities.ts';
import { given } from '../entities/entity.ts';
import { administrator } from '../entities/people.ts';
import { line, table } from './answer.ts';
import { type Action, action, type Command, id, optional, text, toggle } from './command.ts';
import type { CommandContext } from './context.ts';
import { flagsOf, inputOf } from './entities.ts';

const account = text('<account>', 'The account name, without regard to case.');

export const administratorCommand: Command = {
  name: 'administrator',
  summary: 'Administrators of the installation: they manage every company.',
  actions: [
    action({
      name: 'list',
      summary: 'Lists the administrators.',
      flags: {
        offset: optional({ ...id('Number to skip.'), placeholder: '<number>' }),
        limit: optional({ ...id('Number to show; at most the setting listLimitMax.'), placeholder: '<number>' }),
      },
      async run({ offset, limit }, context) {
        const { results } = await listAdministrators(await context.accounts(), operator, given({ offset, limit }));
        const columns = {
          id: (one: Administrator) => one.id,
          account: (one: Administrator) => one.account,
          'e-mail': (one: Administrator) => one.email,
          name: (one: Administrator) => one.name,
          password: (one: Administrator) => one.hasPassword,
          disabled: (one: Administrator) => one.disabled,
        };
        return table(results, columns, 'There are no administrators. "rowhouse administrator add" creates one.');
      },
    }),
    action({
      name: 'add',
      summary: 'Adds an administrator; prompts for the password, or reads it from the standard input.',
      flags: {
        ...flagsOf(administrator, 'add'),
        noPassword: toggle('Without a password: sign-in through the identity provider only.'),
      },
      async run({ noPassword, ...values }, context) {
        const deps = await context.accounts({ make: true });
        const input = inputOf(administrator, 'add', values);
        const password = noPassword ? undefined : await context.secret(`Password of ${input.account}`);
        const made = await createAdministrator(deps, operator, { ...input, ...given({ password }) });
        return line(`Administrator ${made.id} "${made.account}" was added.`, made);
      },
    }),
    action({
      name: 'password',
      summary: 'Sets a password, prompted for or read from the standard input, and ends every session.',
      flags: { account },
      async run({ account: named }, context) {
        const { deps, present } = await administratorOf(context, named);
        const password = await context.secret(`New password of ${present.account}`);
        await setAdministratorPassword(deps, operator, present.id, { password });
        return line(`Administrator "${present.account}" has a new password.`, { id: present.id });
      },
    }),
    action({
      name: 'relink',
      summary:
        'Ends every session of an administrator, and links the account anew at the next sign-in with the verified e-mail address. Use it after a change of adminIssuer, or of the account there.',
      flags: { account },
      async run({ account: named }, context) {
        const { deps, present } = await administratorOf(context, named);
        const now = await relinkAdministrator(deps, operator, present.id);
        return line(`Administrator "${now.account}" is linked at the next sign-in, as ${now.email}.`, now);
      },
    }),
    switched(
      'disable',
      'Ends every session of an administrator and refuses sign-in; the last enabled administrator cannot be disabled.',
    ),
    switched('enable', 'Undoes disable.'),
  ],
};

function switched(name: 'disable' | 'enable', summary: string): Action {
  return action({
    name,
    summary,
    flags: { account },
    async run({ account: named }, context) {
      const { deps, present } = await administratorOf(context, named);
      const now = await updateAdministrator(deps, operator, present.id, { disabled: name === 'disable' });
      return line(`Administrator "${now.account}" is ${name}d now.`, now);
    },
  });
}

async function administratorOf(context: CommandContext, named: string) {
  const deps = await context.accounts();
  return { deps, present: await administratorNamed(deps, operator, named) };
}
