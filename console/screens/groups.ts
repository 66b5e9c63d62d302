/** The groups of a company and their members. */
import { useState } from 'preact/hooks';
import { call, type Results } from '../api.ts';
import { Shown, useAsked } from '../components/asked.ts';
import { Empty } from '../components/basics.ts';
import { DangerButton } from '../components/danger.ts';
import { Drawer, type Ends, Entries } from '../components/entries.ts';
import { TextField } from '../components/fields.ts';
import { ChangeForm } from '../components/form.ts';
import { tell } from '../components/toasts.ts';
import type { VNode } from '../h.ts';
import { h } from '../h.ts';
import { words } from '../preferences.ts';
import { linkTo, type Place } from '../route.ts';
import { may } from '../session.ts';

type Group = Results<'GET /companies/:companyId/groups/:groupId'>;
type Members = Results<'GET /companies/:companyId/groups/:groupId/members'>;

export default function Groups({ place }: { place: Place }): VNode {
  const texts = words().groups;
  const companyId = place.companyId as number;
  return h(Entries<Group>, {
    place,
    title: texts.title,
    what: texts.what,
    columns: [
      { heading: words().name, cell: ({ name }) => name, sort: 'name' },
      { heading: words().number, cell: ({ id }) => id, sort: 'id', isNumber: true },
      { heading: words().description, cell: ({ description }) => description },
    ],
    ask: (query, signal) => call('GET /companies/:companyId/groups', { params: { companyId }, query }, signal),
    rowKey: ({ id }) => id,
    empty: h(Empty, { title: texts.none }, h('p', null, texts.noneAdvice)),
    add: may.value('group.create')
      ? { text: texts.add, form: (onDone) => h(GroupForm, { companyId, group: null, onDone }) }
      : undefined,
    opened: (groupId, ends) => h(GroupDrawer, { companyId, groupId, ...ends }),
  });
}

function GroupDrawer({ companyId, groupId, onClose, onDone }: Ends & { companyId: number; groupId: string }): VNode {
  const texts = words().groups;
  const params = { companyId, groupId };
  const remove = async ({ revision, name }: Group) => {
    await call('DELETE /companies/:companyId/groups/:groupId', { params, query: { revision } });
    tell(words().removed(name));
    onDone();
  };
  return h(Drawer<Group>, {
    title: (found) => found?.name ?? groupId,
    ask: (signal) => call('GET /companies/:companyId/groups/:groupId', { params }, signal),
    by: [groupId],
    onClose,
    children: (group, onReload) => [
      h(GroupForm, { key: group.revision, companyId, group, onDone, onReload }),
      may.value('user.read') && h(MemberList, { companyId, groupId: group.id }),
      may.value('group.delete') &&
        h(DangerButton, {
          action: texts.remove,
          name: group.name,
          onConfirm: () => remove(group),
          children: texts.removeWhat(group.name),
        }),
    ],
  });
}

interface GroupFormProps {
  readonly companyId: number;
  /** Null for a new one. */
  readonly group: Group | null;
  readonly onDone: () => void;
  readonly onReload?: () => void;
}

function GroupForm({ companyId, group, onDone, onReload }: GroupFormProps): VNode {
  const [name, setName] = useState(group?.name ?? '');
  const [description, setDescription] = useState(group?.description ?? '');
  const save = async () => {
    const body = { name, description };
    if (group === null) await call('POST /companies/:companyId/groups', { params: { companyId }, body });
    else {
      const params = { companyId, groupId: group.id };
      const { revision } = group;
      await call('PUT /companies/:companyId/groups/:groupId', { params, body: { ...body, revision } });
    }
  };
  return h(
    ChangeForm,
    { isNew: group === null, mayChange: may.value('group.update'), save, onDone, onReload },
    h(TextField, {
      label: words().name,
      value: name,
      onInput: setName,
      required: true,
      maxLength: 200,
      autofocus: group === null,
    }),
    h(TextField, { label: words().description, value: description, onInput: setDescription, rows: 2 }),
  );
}

function MemberList({ companyId, groupId }: { companyId: number; groupId: number }): VNode {
  const texts = words().groups;
  const params = { companyId, groupId };
  const members = useAsked(
    async (signal) => (await call('GET /companies/:companyId/groups/:groupId/members', { params }, signal)).results,
    [groupId],
  );
  return h(
    'section',
    { class: 'form' },
    h('h3', null, texts.members),
    h(Shown<Members>, {
      asked: members,
      children: (found) =>
        found.length === 0
          ? h('p', { class: 'quiet' }, texts.noMembers)
          : h(
              'ul',
              null,
              found.map(({ userId, account, roleId, roleName }) =>
                h(
                  'li',
                  { key: `${userId} ${roleId}` },
                  h('a', { href: linkTo({ screen: 'users', item: String(userId) }) }, account),
                  `: ${roleName}`,
                ),
              ),
            ),
    }),
    h('p', { class: 'quiet' }, texts.membersAdvice),
  );
}
