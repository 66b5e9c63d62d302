/** The groups and roles of a company, to choose among. */
import { call, type Results } from '../api.ts';
import { type Asked, useAsked } from './asked.ts';

/** More than these are found on their own screens. */
const choicesMax = 200;

export function useGroups(companyId: number): Asked<Results<'GET /companies/:companyId/groups'>> {
  const query = { limit: choicesMax, sort: 'name' };
  return useAsked(
    async (signal) =>
      (await call('GET /companies/:companyId/groups', { params: { companyId }, query }, signal)).results,
    [companyId],
  );
}

export function useRoles(companyId: number): Asked<Results<'GET /companies/:companyId/roles'>> {
  const query = { limit: choicesMax };
  return useAsked(
    async (signal) => (await call('GET /companies/:companyId/roles', { params: { companyId }, query }, signal)).results,
    [companyId],
  );
}
