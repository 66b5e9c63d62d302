/** The roles of a company: the built-in ones, and its own with their rights to tables. */
import { useState } from 'preact/hooks';
import { call, type Results } from '../api.ts';
import { Shown, useAsked } from '../components/asked.ts';
import { Badge, Empty, Note } from '../components/basics.ts';
import { DangerButton } from '../components/danger.ts';
import { Drawer, type Ends, Entries } from '../components/entries.ts';
import { TextField } from '../components/fields.ts';
import { ChangeForm } from '../components/form.ts';
import { tell } from '../components/toasts.ts';
import type { VNode } from '../h.ts';
import { h } from '../h.ts';
import { words } from '../preferences.ts';
import type { Place } from '../route.ts';
import { may } from '../session.ts';
import { type TableRight, TableRights } from './table-rights.ts';

type Role = Results<'GET /companies/:companyId/roles/:roleId'>;

export default function Roles({ place }: { place: Place }): VNode {
  const texts = words().roles;
  const companyId = place.companyId as number;
  return h(Entries<Role>, {
    place,
    title: texts.title,
    what: texts.what,
    columns: [
      { heading: words().name, cell: ({ roleName }) => roleName, sort: 'roleName' },
      { heading: words().number, cell: ({ roleId }) => roleId, sort: 'roleId', isNumber: true },
      { heading: texts.kind, cell: (role) => h(Kind, { role }) },
      { heading: words().description, cell: ({ description }) => description },
    ],
    ask: (query, signal) => call('GET /companies/:companyId/roles', { params: { companyId }, query }, signal),
    rowKey: ({ roleId }) => roleId,
    empty: h(Empty, { title: words().nothingFound }),
    add: may.value('role.change')
      ? { text: texts.add, form: (onDone) => h(RoleForm, { companyId, role: null, rights: [], onDone }) }
      : undefined,
    opened: (roleId, ends) => h(RoleDrawer, { companyId, roleId, ...ends }),
  });
}

function Kind({ role }: { role: Role }): VNode {
  const texts = words().roles;
  if (role.companyId === null) return h('span', null, texts.builtIn);
  return role.unrestricted ? h(Badge, { tone: 'warning' }, texts.unrestricted) : h('span', null, texts.custom);
}

function RoleDrawer({ companyId, roleId, onClose, onDone }: Ends & { companyId: number; roleId: string }): VNode {
  const texts = words().roles;
  const params = { companyId, roleId };
  const remove = async ({ revision, roleName }: Role) => {
    await call('DELETE /companies/:companyId/roles/:roleId', { params, query: { revision } });
    tell(words().removed(roleName));
    onDone();
  };
  return h(Drawer<Role>, {
    title: (found) => found?.roleName ?? roleId,
    ask: (signal) => call('GET /companies/:companyId/roles/:roleId', { params }, signal),
    by: [roleId],
    onClose,
    children: (role, onReload) =>
      role.companyId === null
        ? [h('p', null, role.description), h(Note, {}, texts.builtInWhat)]
        : [
            role.unrestricted && h(Note, { tone: 'warning' }, texts.unrestrictedWhat),
            h(OwnRole, { key: role.revision, companyId, role, onDone, onReload }),
            may.value('role.change') &&
              h(DangerButton, {
                action: texts.remove,
                onConfirm: () => remove(role),
                children: texts.removeWhat(role.roleName),
              }),
          ],
  });
}

interface RoleProps {
  readonly companyId: number;
  readonly onDone: () => void;
  readonly onReload?: () => void;
}

/** Its form, once its rights are loaded. */
function OwnRole({ role, ...props }: RoleProps & { role: Role }): VNode {
  const { companyId } = props;
  const { roleId } = role;
  const rights = useAsked(
    async (signal): Promise<readonly TableRight[]> => {
      if (!may.peek()('role.permissions') || role.unrestricted) return [];
      const params = { companyId, roleId };
      return (await call('GET /companies/:companyId/roles/:roleId/permissions', { params }, signal)).results;
    },
    [roleId],
  );
  return h(Shown<readonly TableRight[]>, {
    asked: rights,
    children: (found) => h(RoleForm, { ...props, role, rights: found }),
  });
}

function RoleForm({
  companyId,
  role,
  rights: before,
  onDone,
  onReload,
}: RoleProps & { role: Role | null; rights: readonly TableRight[] }): VNode {
  const [name, setName] = useState(role?.roleName ?? '');
  const [description, setDescription] = useState(role?.description ?? '');
  const [rights, setRights] = useState(before);
  const mayChange = may.value('role.change');
  const save = async () => {
    const granted = rights.filter((right) => right.read || right.add || right.update || right.delete);
    const body = { name, description };
    if (role === null) {
      const params = { companyId };
      await call('POST /companies/:companyId/roles', { params, body: { ...body, permissions: granted } });
    } else {
      const params = { companyId, roleId: role.roleId };
      // Unchanged rights are not sent, because they would make an unrestricted role restricted.
      const changed = rights === before ? {} : { permissions: granted };
      const { revision } = role;
      await call('PUT /companies/:companyId/roles/:roleId', { params, body: { ...body, ...changed, revision } });
    }
  };
  return h(
    ChangeForm,
    { isNew: role === null, mayChange, save, onDone, onReload },
    h(TextField, {
      label: words().name,
      value: name,
      onInput: setName,
      required: true,
      maxLength: 200,
      autofocus: role === null,
    }),
    h(TextField, { label: words().description, value: description, onInput: setDescription, rows: 2 }),
    may.value('role.permissions') && h(TableRights, { companyId, rights, onChange: setRights, disabled: !mayChange }),
  );
}
