/** The directory: companies, applications, versions, users, groups, roles and OIDC clients (docs/reference/tenancy.md). */
import type { Environment } from '../environment.ts';
import type { Storage } from '../storage/contract.ts';
import { type Applications, openApplications } from './applications.ts';
import { type Clients, openClients } from './clients.ts';
import { type Companies, openCompanies } from './companies.ts';
import { type Groups, openGroups } from './groups.ts';
import { openProviders, type Providers } from './providers.ts';
import { openRoles, type Roles } from './roles.ts';
import { openUsers, type Users } from './users.ts';
import { openVersions, type Versions } from './versions.ts';

export interface Directory {
  readonly companies: Companies;
  readonly applications: Applications;
  readonly versions: Versions;
  readonly users: Users;
  readonly groups: Groups;
  readonly roles: Roles;
  readonly providers: Providers;
  readonly clients: Clients;
}

export function openDirectory(storage: Pick<Storage, 'directory' | 'spaces'>, environment: Environment): Directory {
  const db = storage.directory;
  return {
    companies: openCompanies(db, environment),
    applications: openApplications(db, environment),
    versions: openVersions(db, storage.spaces, environment),
    users: openUsers(db, environment),
    groups: openGroups(db, environment),
    roles: openRoles(db),
    providers: openProviders(db, environment),
    clients: openClients(db, environment),
  };
}
