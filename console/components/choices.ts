/** The groups, roles and users of a company, to choose from. */
import { useEffect, useState } from 'preact/hooks';
import { call, type Results } from '../api.ts';
import type { VNode } from '../h.ts';
import { h } from '../h.ts';
import { words } from '../preferences.ts';
import { may } from '../session.ts';
import { type Asked, useAsked } from './asked.ts';
import { SelectField, TextField } from './fields.ts';

/** Further ones are found on their own screens. */
const choicesMax = 200;

/** Requests nothing if the reader may not see groups. */
export function useGroups(companyId: number): Asked<Results<'GET /companies/:companyId/groups'>> {
  const query = { limit: choicesMax, sort: 'name' };
  return useAsked(
    async (signal) =>
      (await call('GET /companies/:companyId/groups', { params: { companyId }, query }, signal)).results,
    [may.value('group.read') ? companyId : null],
  );
}

export function useRoles(companyId: number): Asked<Results<'GET /companies/:companyId/roles'>> {
  const query = { limit: choicesMax };
  return useAsked(
    async (signal) => (await call('GET /companies/:companyId/roles', { params: { companyId }, query }, signal)).results,
    [companyId],
  );
}

export type FoundUser = Results<'GET /companies/:companyId/users'>[number];

/** How many users are offered; typing more of the name finds others. */
const usersMax = 20;

/** @param search part of an account or a name, as it is typed; '' for the first users */
export function useUsers(companyId: number, search: string): Asked<readonly FoundUser[]> {
  const wanted = search.trim();
  return useAsked(
    async (signal) => {
      const query = { limit: usersMax, ...(wanted !== '' && { search: wanted }) };
      return (await call('GET /companies/:companyId/users', { params: { companyId }, query }, signal)).results;
    },
    [companyId, wanted],
  );
}

/** Chooses the owner of new records, by account or name. */
export function Owner({
  companyId,
  ownerId,
  onChange,
}: {
  companyId: number;
  ownerId: string;
  onChange: (id: string) => void;
}): VNode {
  const texts = words().records;
  const [search, setSearch] = useState('');
  const users = useUsers(companyId, search);
  const options = (users.value ?? []).map(({ id, account }) => [String(id), `${account} (${id})`] as const);
  useEffect(() => {
    if (!options.some(([id]) => id === ownerId)) onChange(options[0]?.[0] ?? '');
  }, [users.value]);
  return h(
    'div',
    { class: 'form' },
    h(TextField, { label: texts.findOwner, type: 'search', value: search, onInput: setSearch }),
    h(SelectField<string>, { label: texts.owner, hint: texts.ownerHint, value: ownerId, options, onChange }),
  );
}
