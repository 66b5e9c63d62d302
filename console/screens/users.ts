/** The users of a company: found, added, changed; their roles in groups, identities and sessions. */
import { useState } from 'preact/hooks';
import { call, Refusal, type Results } from '../api.ts';
import { Shown, useAsked } from '../components/asked.ts';
import { Badge, Button, Empty, Note, Screen } from '../components/basics.ts';
import { DangerButton } from '../components/danger.ts';
import { Dialog } from '../components/dialog.ts';
import { CheckField, SelectField, TextField } from '../components/fields.ts';
import { Form } from '../components/form.ts';
import { Icon } from '../components/icon.ts';
import { List } from '../components/list.ts';
import { tell } from '../components/toasts.ts';
import type { VNode } from '../h.ts';
import { h } from '../h.ts';
import { words } from '../preferences.ts';
import { go, type Place } from '../route.ts';
import { may } from '../session.ts';

type Listed = Results<'GET /companies/:companyId/users'>[number];
type User = Results<'GET /companies/:companyId/users/:userId'>;
type Membership = User['memberships'][number];

/** `item` is the id of the user who is open, or `new`. */
export default function Users({ place }: { place: Place }): VNode {
  const texts = words().users;
  const companyId = place.companyId as number;
  const [turn, setTurn] = useState(0);
  const open = (item: string | null) => go({ ...place, item });
  const done = () => {
    setTurn(turn + 1);
    open(null);
  };
  return h(
    Screen,
    {
      title: texts.title,
      what: texts.what,
      actions: may.value('user.create') && h(Button, { kind: 'main', onClick: () => open('new') }, texts.add),
    },
    h(List<Listed>, {
      label: texts.title,
      columns: [
        { heading: texts.account, cell: ({ account }) => account, sort: 'account' },
        { heading: texts.firstName, cell: ({ firstName }) => firstName, sort: 'firstName' },
        { heading: texts.lastName, cell: ({ lastName }) => lastName, sort: 'lastName' },
        { heading: texts.email, cell: ({ email }) => email, sort: 'email' },
        { heading: texts.state, cell: ({ disabled }) => h(State, { disabled }) },
      ],
      ask: (query, signal) => call('GET /companies/:companyId/users', { params: { companyId }, query }, signal),
      rowKey: ({ id }) => id,
      onOpen: ({ id }) => open(String(id)),
      by: [turn],
      empty: h(Empty, { title: texts.none }, h('p', null, texts.noneAdvice)),
    }),
    place.item === 'new' &&
      h(Dialog, { title: texts.add, onClose: () => open(null) }, h(UserForm, { companyId, user: null, onDone: done })),
    place.item !== null &&
      place.item !== 'new' &&
      h(UserDrawer, { companyId, userId: place.item, onClose: () => open(null), onDone: done }),
  );
}

function State({ disabled }: { disabled: boolean }): VNode {
  const texts = words().users;
  return disabled ? h(Badge, { tone: 'warning' }, texts.isDisabled) : h('span', null, texts.isEnabled);
}

interface DrawerProps {
  readonly companyId: number;
  readonly userId: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function UserDrawer({ companyId, userId, onClose, onDone }: DrawerProps): VNode {
  const texts = words().users;
  const params = { companyId, userId };
  const user = useAsked(
    async (signal) => (await call('GET /companies/:companyId/users/:userId', { params }, signal)).results,
    [userId],
  );
  const remove = async (revision: number, account: string) => {
    await call('DELETE /companies/:companyId/users/:userId', { params, query: { revision } });
    tell(words().removed(account));
    onDone();
  };
  return h(
    Dialog,
    { title: user.value?.account ?? userId, shape: 'drawer', onClose },
    h(Shown<User>, {
      asked: user,
      children: (found) =>
        h(
          'div',
          { class: 'form' },
          h(UserForm, { key: found.revision, companyId, user: found, onDone, onStale: user.again }),
          may.value('session.read') && h(Sessions, { companyId, userId: found.id }),
          may.value('identity.read') && h(Identities, { companyId, userId: found.id }),
          may.value('user.delete') &&
            h(
              'div',
              null,
              h(DangerButton, {
                action: texts.remove,
                onConfirm: () => remove(found.revision, found.account),
                children: texts.removeWhat(found.account),
              }),
            ),
        ),
    }),
  );
}

interface UserFormProps {
  readonly companyId: number;
  /** Null for a new one. */
  readonly user: User | null;
  readonly onDone: () => void;
  readonly onStale?: () => void;
}

function UserForm({ companyId, user, onDone, onStale }: UserFormProps): VNode {
  const texts = words().users;
  const [account, setAccount] = useState(user?.account ?? '');
  const [email, setEmail] = useState(user?.email ?? '');
  const [firstName, setFirstName] = useState(user?.firstName ?? '');
  const [lastName, setLastName] = useState(user?.lastName ?? '');
  const [disabled, setDisabled] = useState(user?.disabled ?? false);
  const [memberships, setMemberships] = useState<readonly Membership[]>(user?.memberships ?? []);
  const [isStale, setStale] = useState(false);
  const save = async () => {
    const roles = memberships.map(({ groupId, roleId }) => ({ groupId, roleId }));
    const names = { account, firstName, lastName, memberships: roles };
    try {
      if (user === null)
        await call('POST /companies/:companyId/users', {
          params: { companyId },
          body: { ...names, ...(email && { email }) },
        });
      else {
        const body = { ...names, email: email === '' ? null : email, disabled, revision: user.revision };
        await call('PUT /companies/:companyId/users/:userId', { params: { companyId, userId: user.id }, body });
      }
    } catch (error) {
      if (error instanceof Refusal && error.status === 409) setStale(true);
      throw error;
    }
    tell(words().saved);
    onDone();
  };
  return h(
    Form,
    { action: user === null ? words().add : words().save, onSubmit: save },
    isStale &&
      onStale &&
      h(Note, { tone: 'warning' }, words().changedMeanwhile, ' ', h(Button, { onClick: onStale }, words().reload)),
    h(TextField, {
      label: texts.account,
      value: account,
      onInput: setAccount,
      required: true,
      maxLength: 200,
      autocomplete: 'off',
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

/** More groups than this are found on the screen of the group. */
const choicesMax = 200;

function Memberships({ companyId, memberships, onChange }: MembershipsProps): VNode {
  const texts = words().users;
  const params = { companyId };
  const query = { limit: choicesMax, sort: 'name' };
  const groups = useAsked(
    async (signal) => (await call('GET /companies/:companyId/groups', { params, query }, signal)).results,
    [companyId],
  );
  const roles = useAsked(
    async (signal) =>
      (await call('GET /companies/:companyId/roles', { params, query: { limit: choicesMax } }, signal)).results,
    [companyId],
  );
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
  const end = async (sessionId: string) => {
    await call('DELETE /companies/:companyId/sessions/:sessionId', { params: { companyId, sessionId } });
    tell(texts.ended);
    sessions.again();
  };
  const endAll = async () => {
    await call('POST /companies/:companyId/sessions/end', { params, body: { userId } });
    tell(texts.ended);
    sessions.again();
  };
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
              found.map((each) =>
                h(
                  'div',
                  { class: 'toolbar', key: each.id },
                  h('span', null, `${each.appId} ${each.appVersion}, ${each.deviceUDID}`),
                  h(Button, { onClick: () => void end(each.id) }, texts.endSession),
                ),
              ),
              h('div', null, h(Button, { kind: 'dangerous', onClick: () => void endAll() }, texts.endAll)),
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
