/** What a role grants on tables, as a matrix: a row for each table of one application, a column for each right. */
import { useState } from 'preact/hooks';
import { call, type Results } from '../api.ts';
import { Problem, useAsked, Waiting } from '../components/asked.ts';
import { SelectField } from '../components/fields.ts';
import { FramedTable } from '../components/framed-table.ts';
import type { VNode } from '../h.ts';
import { h } from '../h.ts';
import { words } from '../preferences.ts';
import { may } from '../session.ts';

export type TableRight = Results<'GET /companies/:companyId/roles/:roleId/permissions'>[number];

const rightNames = ['read', 'add', 'update', 'delete'] as const;
type RightName = (typeof rightNames)[number];

/** In a permission: every table of the application, including later ones. */
const everyTable = '*';

/** More applications than these are rare; their roles can be set by `/admin/api`. */
const applicationsMax = 200;
/** The number of versions whose tables are offered. */
const versionsMax = 10;

interface TableRightsProps {
  readonly companyId: number;
  readonly rights: readonly TableRight[];
  readonly onChange: (rights: readonly TableRight[]) => void;
  readonly disabled: boolean;
}

export function TableRights({ companyId, rights, onChange, disabled }: TableRightsProps): VNode {
  const texts = words().roles;
  const applications = useAsked(
    async (signal) => {
      const query = { limit: applicationsMax, sort: 'name' };
      return (await call('GET /companies/:companyId/applications', { params: { companyId }, query }, signal)).results;
    },
    [companyId],
  );
  const [chosen, setChosen] = useState<string | null>(null);
  const named = new Map(rights.map(({ appId }) => [appId, appId]));
  for (const { appId, name } of applications.value ?? []) named.set(appId, name === '' ? appId : name);
  const appId = chosen ?? rights[0]?.appId ?? named.keys().next().value ?? null;
  const options = [...named].map(([id, name]) => {
    const count = rights.filter((right) => right.appId === id).length;
    return [id, count === 0 ? name : texts.withRights(name, count)] as const;
  });
  if (applications.error !== null) return h(Problem, { error: applications.error, again: applications.again });
  if (appId === null)
    return applications.value === null ? h(Waiting, {}) : h('p', { class: 'quiet' }, texts.noApplication);
  return h(
    'div',
    { class: 'form' },
    h(SelectField<string>, {
      label: texts.rightsIn,
      hint: texts.rightsHint,
      value: appId,
      options,
      onChange: setChosen,
    }),
    h(Matrix, { key: appId, companyId, appId, rights, onChange, disabled }),
  );
}

function Matrix({ companyId, appId, rights, onChange, disabled }: TableRightsProps & { appId: string }): VNode {
  const texts = words().roles;
  const defined = useAsked((signal) => tablesOf(companyId, appId, signal), [companyId, appId]);
  const own = rights.filter((right) => right.appId === appId);
  const tables = [everyTable];
  // The service ignores the case of names.
  for (const table of [...(defined.value ?? []), ...own.map((right) => right.table)])
    if (!tables.some((each) => each.toLowerCase() === table.toLowerCase())) tables.push(table);
  const held = (table: string) => own.find((right) => right.table.toLowerCase() === table.toLowerCase());
  const set = (table: string, right: RightName, is: boolean) => {
    const before = held(table);
    const changed = { ...(before ?? { appId, table, read: false, add: false, update: false, delete: false }) };
    changed[right] = is;
    onChange(before === undefined ? [...rights, changed] : rights.map((each) => (each === before ? changed : each)));
  };
  if (defined.error !== null) return h(Problem, { error: defined.error, again: defined.again });
  return h(
    FramedTable,
    {
      label: texts.rights,
      head: [texts.table, ...rightNames.map((right) => texts.rightNames[right])],
      isStale: defined.isAsking,
    },
    tables.map((table) => {
      const name = table === everyTable ? texts.everyTable : table;
      return h(
        'tr',
        { key: table },
        h('th', { scope: 'row' }, name),
        rightNames.map((right) =>
          h(
            'td',
            { key: right },
            h('input', {
              type: 'checkbox',
              class: 'box',
              checked: held(table)?.[right] ?? false,
              disabled,
              'aria-label': `${name}: ${texts.rightNames[right]}`,
              onChange: ({ currentTarget }) => set(table, right, currentTarget.checked),
            }),
          ),
        ),
      );
    }),
  );
}

/** The names of the tables of all versions, as far as the user may see them. */
async function tablesOf(companyId: number, appId: string, signal: AbortSignal): Promise<string[]> {
  if (!may.peek()('table.read')) return [];
  const path = '/companies/:companyId/applications/:appId/versions';
  const query = { limit: versionsMax, sort: '-version' };
  const { results: versions } = await call(`GET ${path}`, { params: { companyId, appId }, query }, signal);
  const spaces = new Map(versions.map(({ spaceId, version }) => [spaceId, version]));
  const lists = await Promise.all(
    [...spaces.values()].map((version) =>
      call(`GET ${path}/:version/tables`, { params: { companyId, appId, version } }, signal),
    ),
  );
  const tables = lists.flatMap(({ results }) => results as readonly { readonly name: string }[]);
  return [...new Set(tables.map(({ name }) => name))].sort();
}
