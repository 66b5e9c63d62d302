/** The users of a company: finding, adding and changing them; their roles in groups, identities and sessions. */
import { useState } from 'preact/hooks';
import { call, type Results } from '../api.ts';
import { Problem, Shown, useAsked } from '../components/asked.ts';
import { Button, Empty, LinkButton, State } from '../components/basics.ts';
import { useGroups, useRoles } from '../components/choices.ts';
import { DangerButton } from '../components/danger.ts';
import { Drawer, type Ends, Entries } from '../components/entries.ts';
import { CheckField, SelectField, TextField } from '../components/fields.ts';
import { ChangeForm } from '../components/form.ts';
import { Icon } from '../components/icon.ts';
import { tell } from '../components/toasts.ts';
import type { VNode } from '../h.ts';
import { h } from '../h.ts';
import { words } from '../preferences.ts';
import { linkTo, type Place } from '../route.ts';
import { may, orOwn } from '../session.ts';

type Listed = Results<'GET /companies/:companyId/users'>[number];
type User = Results<'GET /companies/:companyId/users/:userId'>;
type Membership = User['memberships'][number];

export default function Users({ place }: { place: Place }): VNode {
  const texts = words().users;
  const companyId = place.companyId as number;
  return h(Entries<Listed>, {
    place,
    title: texts.title,
    what: texts.what,
    columns: [
      { heading: texts.account, cell: ({ account }) => account, sort: 'account' },
      { heading: texts.firstName, cell: ({ firstName }) => firstName, sort: 'firstName' },
      { heading: texts.lastName, cell: ({ lastName }) => lastName, sort: 'lastName' },
      { heading: texts.email, cell: ({ email }) => email, sort: 'email' },
      { heading: words().state, cell: State },
    ],
    ask: (query, signal) =>
      orOwn<{ readonly results: readonly Listed[]; readonly count: number }>(
        () => call('GET /companies/:companyId/users', { params: { companyId }, query }, signal),
        async (userId) => {
          const { results } = await call(
            'GET /companies/:companyId/users/:userId',
            { params: { companyId, userId } },
            signal,
          );
          return { results: [results], count: 1 };
        },
      ),
    rowKey: ({ id }) => id,
    empty: h(Empty, { title: texts.none }, h('p', null, texts.noneAdvice)),
    add: may.value('user.create')
      ? { text: texts.add, form: (onDone) => h(UserForm, { companyId, user: null, onDone }) }
      : undefined,
    opened: (userId, ends) => h(UserDrawer, { companyId, userId, ...ends }),
  });
}

function UserDrawer({ companyId, userId, onClose, onDone }: Ends & { companyId: number; userId: string }): VNode {
  const texts = words().users;
  const params = { companyId, userId };
  const remove = async ({ revision, account }: User) => {
    await call('DELETE /companies/:companyId/users/:userId', { params, query: { revision } });
    tell(words().removed(account));
    onDone();
  };
  return h(Drawer<User>, {
    title: (found) => found?.account ?? userId,
    ask: (signal) => call('GET /companies/:companyId/users/:userId', { params }, signal),
    by: [userId],
    onClose,
    children: (user, onReload) => [
      h(UserForm, { key: user.revision, companyId, user, onDone, onReload }),
      may.value('session.read') && h(Sessions, { companyId, userId: user.id }),
      may.value('identity.read') && h(Identities, { companyId, userId: user.id }),
      may.value('user.delete') &&
        h(DangerButton, {
          action: texts.remove,
          onConfirm: () => remove(user),
          children: texts.removeWhat(user.account),
        }),
    ],
  });
}

interface UserFormProps {
  readonly companyId: number;
  /** Null for a new one. */
  readonly user: User | null;
  readonly onDone: () => void;
  readonly onReload?: () => void;
}

function UserForm({ companyId, user, onDone, onReload }: UserFormProps): VNode {
  const texts = words().users;
  const [account, setAccount] = useState(user?.account ?? '');
  const [email, setEmail] = useState(user?.email ?? '');
  const [firstName, setFirstName] = useState(user?.firstName ?? '');
  const [lastName, setLastName] = useState(user?.lastName ?? '');
  const [disabled, setDisabled] = useState(user?.disabled ?? false);
  const [memberships, setMemberships] = useState<readonly Membership[]>(user?.memberships ?? []);
  const save = async () => {
    const roles = memberships.map(({ groupId, roleId }) => ({ groupId, roleId }));
    const names = { account, firstName, lastName, memberships: roles };
    if (user === null)
      await call('POST /companies/:companyId/users', {
        params: { companyId },
        body: { ...names, ...(email && { email }) },
      });
    else {
      const body = { ...names, email: email === '' ? null : email, disabled, revision: user.revision };
      await call('PUT /companies/:companyId/users/:userId', { params: { companyId, userId: user.id }, body });
    }
  };
  return h(
    ChangeForm,
    { isNew: user === null, mayChange: true, save, onDone, onReload },
    h(TextField, {
      label: texts.account,
      value: account,
      onInput: setAccount,
      required: true,
      maxLength: 200,
      autocomplete: 'off',
      autofocus: user === null,
    }),
    h(TextField, { label: texts.email, type: 'email', value: email, onInput: setEmail, autocomplete: 'off' }),
    h(TextField, { label: texts.firstName, value: firstName, onInput: setFirstName, autocomplete: 'off' }),
    h(TextField, { label: texts.lastName, value: lastName, onInput: setLastName, autocomplete: 'off' }),
    user !== null && h(CheckField, { label: texts.disable, checked: disabled, onChange: setDisabled }),
    h(Memberships, { companyId, memberships, onChange: setMemberships }),
  );
}

interface MembershipsProps {
  readonly companyId: number;
  readonly memberships: readonly Membership[];
  readonly onChange: (memberships: readonly Membership[]) => void;
}

function Memberships({ companyId, memberships, onChange }: MembershipsProps): VNode {
  const texts = words().users;
  const groups = useGroups(companyId);
  const roles = useRoles(companyId);
  const [groupId, setGroupId] = useState('');
  const [roleId, setRoleId] = useState('');
  const group = groups.value?.find(({ id }) => String(id) === groupId) ?? groups.value?.[0];
  const role =
    roles.value?.find((each) => String(each.roleId) === roleId) ?? roles.value?.find((each) => each.roleId === 5);
  const isHeld = memberships.some((each) => each.groupId === group?.id && each.roleId === role?.roleId);
  const add = () => {
    if (group === undefined || role === undefined) return;
    onChange([
      ...memberships,
      { groupId: group.id, groupName: group.name, roleId: role.roleId, roleName: role.roleName },
    ]);
  };
  return h(
    'div',
    { class: 'field' },
    h('span', { class: 'label' }, texts.memberships),
    [groups, roles].map(({ error, again }, index) => error !== null && h(Problem, { key: index, error, again })),
    memberships.length === 0
      ? h('p', { class: 'quiet' }, texts.noMemberships)
      : h(
          'ul',
          { class: 'chips' },
          memberships.map((each) => {
            const name = `${each.groupName}: ${each.roleName}`;
            const takeAway = () => onChange(memberships.filter((other) => other !== each));
            return h(
              'li',
              { class: 'chip', key: name },
              name,
              h(
                Button,
                { kind: 'plain', label: `${words().remove}: ${name}`, onClick: takeAway },
                h(Icon, { name: 'close' }),
              ),
            );
          }),
        ),
    h(
      'div',
      { class: 'toolbar' },
      h(SelectField<string>, {
        label: texts.group,
        value: String(group?.id ?? ''),
        options: (groups.value ?? []).map(({ id, name }) => [String(id), name] as const),
        onChange: setGroupId,
      }),
      h(SelectField<string>, {
        label: texts.role,
        value: String(role?.roleId ?? ''),
        options: (roles.value ?? []).map((each) => [String(each.roleId), each.roleName] as const),
        onChange: setRoleId,
      }),
      h(Button, { onClick: add, disabled: isHeld || group === undefined || role === undefined }, texts.addRole),
    ),
  );
}

function Sessions({ companyId, userId }: { companyId: number; userId: number }): VNode {
  const texts = words().users;
  const params = { companyId };
  const sessions = useAsked(
    async (signal) =>
      (await call('GET /companies/:companyId/sessions', { params, query: { userId: String(userId) } }, signal)).results,
    [userId],
  );
  return h(
    'section',
    { class: 'form' },
    h('h3', null, texts.sessions),
    h(Shown<Results<'GET /companies/:companyId/sessions'>>, {
      asked: sessions,
      children: (found) =>
        found.length === 0
          ? h('p', { class: 'quiet' }, texts.noSessions)
          : h(
              'div',
              { class: 'form' },
              h(
                'ul',
                null,
                found.map(({ id, appId, appVersion, deviceName, deviceUDID }) =>
                  h('li', { key: id }, `${appId} ${appVersion}, ${deviceName || deviceUDID}`),
                ),
              ),
              h(
                'div',
                null,
                h(
                  LinkButton,
                  { href: linkTo({ screen: 'sessions', query: { userId: String(userId) } }) },
                  texts.toSessions,
                ),
              ),
            ),
    }),
  );
}

function Identities({ companyId, userId }: { companyId: number; userId: number }): VNode {
  const texts = words().users;
  const identities = useAsked(
    async (signal) =>
      (await call('GET /companies/:companyId/users/:userId/identities', { params: { companyId, userId } }, signal))
        .results,
    [userId],
  );
  return h(
    'section',
    { class: 'form' },
    h('h3', null, texts.identities),
    h(Shown<Results<'GET /companies/:companyId/users/:userId/identities'>>, {
      asked: identities,
      children: (found) =>
        found.length === 0
          ? h('p', { class: 'quiet' }, texts.noIdentities)
          : h(
              'ul',
              null,
              found.map(({ issuer, subject }) => h('li', { key: issuer + subject }, `${issuer} · ${subject}`)),
            ),
    }),
  );
}
