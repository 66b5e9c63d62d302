/** What exactly a user sees, and why: a read-only view of a table as that user, with a reason that is recorded. */
import { useState } from 'preact/hooks';
import { call, type Results } from '../api.ts';
import { Problem, useAsked, Waiting } from '../components/asked.ts';
import { Button, Empty, Facts, Note, Screen } from '../components/basics.ts';
import { SelectField, TextField } from '../components/fields.ts';
import { Grid } from '../components/grid.ts';
import type { VNode } from '../h.ts';
import { h } from '../h.ts';
import { words } from '../preferences.ts';
import { alias, type ColumnDescription, columnsOf, queryOf, type Row, type VersionParams } from '../records.ts';
import type { Place } from '../route.ts';

const rowsMax = 100;

type FoundUser = Results<'GET /companies/:companyId/browse/users'>[number];
type FoundVersion = Results<'GET /companies/:companyId/browse/users/:userId/versions'>[number];
type FoundTable =
  Results<'GET /companies/:companyId/applications/:appId/versions/:version/users/:userId/tables'>[number];

/** How many users are offered; typing more of the name finds others. */
const usersMax = 20;

interface Begun {
  readonly params: VersionParams;
  readonly user: FoundUser;
  readonly why: string;
}

/** The address contains none of it: the user and the reason are only for the audit trail. */
export default function Browse({ place }: { place: Place }): VNode {
  const texts = words().browse;
  const [begun, setBegun] = useState<Begun | null>(null);
  return h(
    Screen,
    { title: texts.title, what: texts.what },
    begun === null ? h(Choice, { place, onBegin: setBegun }) : h(AsUser, { ...begun, onEnd: () => setBegun(null) }),
  );
}

/** Of whom, in which version, and why. Only users who may be looked at are offered, and versions that they may use. */
function Choice({ place, onBegin }: { place: Place; onBegin: (begun: Begun) => void }): VNode {
  const texts = words().browse;
  const companyId = place.companyId as number;
  const [search, setSearch] = useState('');
  const [userId, setUserId] = useState('');
  const [chosen, setChosen] = useState(`${place.appId} ${place.version}`);
  const [why, setWhy] = useState('');
  const wanted = search.trim();
  const users = useAsked(
    async (signal) => {
      const query = { limit: usersMax, ...(wanted !== '' && { search: wanted }) };
      return (await call('GET /companies/:companyId/browse/users', { params: { companyId }, query }, signal)).results;
    },
    [companyId, wanted],
  );
  const found = users.value ?? [];
  const user = found.find(({ id }) => String(id) === userId) ?? found[0];
  const versions = useAsked(
    async (signal) => {
      const params = { companyId, userId: user?.id as number };
      return (await call('GET /companies/:companyId/browse/users/:userId/versions', { params }, signal)).results;
    },
    [user?.id ?? null],
  );
  const offered = user === undefined ? [] : (versions.value ?? []);
  const version = offered.find((each) => keyOf(each) === chosen) ?? offered[0];
  const isWaiting = (users.value === null && users.error === null) || (user !== undefined && versions.isAsking);
  const begin = (event: Event) => {
    event.preventDefault();
    if (user === undefined || version === undefined) return;
    onBegin({ params: { companyId, appId: version.appId, version: version.version }, user, why });
  };
  return h(
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
    h(SelectField<string>, {
      label: texts.version,
      value: version === undefined ? '' : keyOf(version),
      options: offered.map((each) => [keyOf(each), `${each.name || each.appId} ${each.version}`] as const),
      onChange: setChosen,
    }),
    isWaiting && h(Waiting, {}),
    [users, versions].map(({ error, again }, index) => error !== null && h(Problem, { key: index, error, again })),
    users.value?.length === 0 && h('p', { class: 'quiet' }, texts.noUsers),
    user !== undefined && !isWaiting && versions.value?.length === 0 && h('p', { class: 'quiet' }, texts.noVersions),
    h(TextField, {
      label: texts.why,
      hint: texts.whyHint,
      value: why,
      onInput: setWhy,
      required: true,
      maxLength: 500,
    }),
    h(
      'div',
      null,
      h(Button, { type: 'submit', kind: 'main', disabled: version === undefined || isWaiting }, texts.begin),
    ),
  );
}

function keyOf({ appId, version }: FoundVersion): string {
  return `${appId} ${version}`;
}

interface AsUserProps extends Begun {
  readonly onEnd: () => void;
}

function AsUser({ params, user, why, onEnd }: AsUserProps): VNode {
  const texts = words().browse;
  const tables = useAsked(async (signal) => {
    const path = 'GET /companies/:companyId/applications/:appId/versions/:version/users/:userId/tables';
    return (await call(path, { params: { ...params, userId: user.id } }, signal)).results;
  }, []);
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
    tables.value?.length === 0 && h(Empty, { title: texts.noTables }),
    tables.error === null && tables.value?.length !== 0 && seen.value === null && seen.error === null && h(Waiting, {}),
    seen.value !== null && rows.length === 0 && h(Empty, { title: texts.none }),
    rows.length > 0 && table !== null && h(Rows, { table, rows, isStale: seen.isAsking, sort, onSort: setSort }),
  );
}

interface RowsProps {
  readonly table: FoundTable;
  readonly rows: readonly Row[];
  readonly isStale: boolean;
  readonly sort: string;
  readonly onSort: (sort: string) => void;
}

function Rows({ table, rows, isStale, sort, onSort }: RowsProps): VNode {
  return h(
    'div',
    { class: 'form' },
    h(Grid, {
      label: table.name,
      columns: columnsOf({ columns: table.columns as ColumnDescription[] }),
      rows,
      isStale,
      sort,
      onSort,
    }),
    rows.length === rowsMax && h('p', { class: 'quiet' }, words().browse.first(rowsMax)),
  );
}
