/** What exactly a user sees, and why: a read-only view of a table as that user, with a reason that is recorded. */
import { useState } from 'preact/hooks';
import { call } from '../api.ts';
import { Problem, useAsked, Waiting } from '../components/asked.ts';
import { Button, Empty, Facts, Note, Screen } from '../components/basics.ts';
import { type FoundUser, useUsers } from '../components/choices.ts';
import { SelectField, TextField } from '../components/fields.ts';
import { Grid } from '../components/grid.ts';
import type { VNode } from '../h.ts';
import { h } from '../h.ts';
import { words } from '../preferences.ts';
import {
  alias,
  columnsOf,
  queryOf,
  type Row,
  type TableDescription,
  tablesOf,
  type VersionParams,
  versionOf,
} from '../records.ts';
import type { Place } from '../route.ts';

const rowsMax = 100;

/** The address contains none of it: the user and the reason are only for the audit trail. */
export default function Browse({ place }: { place: Place }): VNode {
  const texts = words().browse;
  const params = versionOf(place);
  const [search, setSearch] = useState('');
  const [userId, setUserId] = useState('');
  const [why, setWhy] = useState('');
  const [begun, setBegun] = useState<{ user: FoundUser; why: string } | null>(null);
  const users = useUsers(params.companyId, search);
  const found = users.value ?? [];
  const user = found.find(({ id }) => String(id) === userId) ?? found[0];
  const begin = (event: Event) => {
    event.preventDefault();
    if (user !== undefined) setBegun({ user, why });
  };
  return h(
    Screen,
    { title: texts.title, what: texts.what },
    begun === null
      ? h(
          'form',
          { class: 'form narrow', onSubmit: begin },
          h(TextField, { label: texts.find, type: 'search', value: search, onInput: setSearch }),
          h(SelectField<string>, {
            label: texts.user,
            value: String(user?.id ?? ''),
            options: found.map(
              ({ id, account, firstName, lastName }) => [String(id), `${account} – ${firstName} ${lastName}`] as const,
            ),
            onChange: setUserId,
          }),
          users.value === null && users.error === null && h(Waiting, {}),
          users.error !== null && h(Problem, { error: users.error, again: users.again }),
          h(TextField, {
            label: texts.why,
            hint: texts.whyHint,
            value: why,
            onInput: setWhy,
            required: true,
            maxLength: 500,
          }),
          h('div', null, h(Button, { type: 'submit', kind: 'main', disabled: user === undefined }, texts.begin)),
        )
      : h(AsUser, { params, ...begun, onEnd: () => setBegun(null) }),
  );
}

interface AsUserProps {
  readonly params: VersionParams;
  readonly user: FoundUser;
  readonly why: string;
  readonly onEnd: () => void;
}

function AsUser({ params, user, why, onEnd }: AsUserProps): VNode {
  const texts = words().browse;
  const tables = useAsked((signal) => tablesOf(params, signal), []);
  const [chosen, setChosen] = useState('');
  const [sort, setSort] = useState('');
  const table = tables.value?.find(({ name }) => name === chosen) ?? tables.value?.[0] ?? null;
  const name = table?.name ?? null;
  const seen = useAsked(
    async (signal) => {
      const query = { ...queryOf({ table: name as string, where: '', sort }), range: { limit: rowsMax } };
      const path =
        'POST /companies/:companyId/applications/:appId/versions/:version/users/:userId/records/:objectName/select';
      const all = { ...params, userId: user.id, objectName: name as string };
      return call(path, { params: all, body: { why, query } }, signal);
    },
    [name, sort],
  );
  const rows = (seen.value?.rows ?? []).map((row) => row[alias] as Row);
  const groups = (seen.value?.groups ?? []).map(({ groupName, roleName }) => `${groupName} (${roleName})`);
  const rights = seen.value?.tableRights ?? null;
  return h(
    'div',
    { class: 'form' },
    h(Note, { tone: 'warning' }, texts.asUser(user.account), ' ', h(Button, { onClick: onEnd }, texts.end)),
    seen.value?.disabled && h(Note, { tone: 'warning' }, texts.disabled),
    tables.error !== null && h(Problem, { error: tables.error, again: tables.again }),
    h(
      'div',
      { class: 'toolbar' },
      h(SelectField<string>, {
        label: words().records.table,
        value: name ?? '',
        options: (tables.value ?? []).map((each) => [each.name, each.name] as const),
        onChange: setChosen,
      }),
    ),
    seen.value !== null &&
      h(Facts, {
        of: [
          [texts.sees, texts.seesWhat],
          [texts.groups, groups.length === 0 ? words().nothing : groups.join(', ')],
          [texts.rights, rights === null ? texts.allRights : JSON.stringify(rights)],
        ],
      }),
    seen.error !== null && h(Problem, { error: seen.error, again: seen.again }),
    seen.value === null && seen.error === null && h(Waiting, {}),
    seen.value !== null && rows.length === 0 && h(Empty, { title: texts.none }),
    rows.length > 0 && table !== null && h(Rows, { table, rows, isStale: seen.isAsking, sort, onSort: setSort }),
  );
}

interface RowsProps {
  readonly table: TableDescription;
  readonly rows: readonly Row[];
  readonly isStale: boolean;
  readonly sort: string;
  readonly onSort: (sort: string) => void;
}

function Rows({ table, rows, isStale, sort, onSort }: RowsProps): VNode {
  return h(
    'div',
    { class: 'form' },
    h(Grid, { label: table.name, columns: columnsOf(table), rows, isStale, sort, onSort }),
    rows.length === rowsMax && h('p', { class: 'quiet' }, words().browse.first(rowsMax)),
  );
}
