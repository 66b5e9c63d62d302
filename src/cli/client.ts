/** `rowhouse client`: an application's identity providers, and the clients that it has registered with them. */
import { readFileSync } from 'node:fs';
import { operator } from '../actor.ts';
import { createClient, deleteClient, type Sealing, updateClient } from '../administration/providers.ts';
import { otherEnvironmentNames } from '../config.ts';
import type { AccountPolicy } from '../directory/applications.ts';
import { parsedClaimMapping } from '../directory/claim-mapping.ts';
import type { Client } from '../directory/clients.ts';
import type { ProviderColumns } from '../directory/providers.ts';
import { malformed } from '../errors.ts';
import { line, table } from './answer.ts';
import { action, type Command, choice, id, optional, text, toggle, UsageError } from './command.ts';
import type { CommandContext } from './context.ts';

const secretVariable = otherEnvironmentNames.clientSecret;
const company = id('The company.');
const app = text('<appId>', 'The application.');
const provider = text('<name>', 'Name of the provider in paths, usually idp.');
const clientId = text('<id>', 'The client id at the provider.');
const secretFile = optional(
  text('<path>', `File with the client secret; without it, the secret is read from ${secretVariable}.`),
);
const ofProvider = {
  claimMapping: optional(
    text('<path>', 'File with the claim mapping of the provider, as JSON: groups, roles and names from its claims.'),
  ),
  accounts: optional(
    choice(['refuse', 'create', 'application'], 'What happens to an unknown account of this provider.'),
  ),
};

export const clientCommand: Command = {
  name: 'client',
  summary: 'Identity providers of an application, and its OpenID Connect clients there.',
  actions: [
    action({
      name: 'list',
      summary: 'Lists the clients of an application.',
      flags: { company, app },
      async run({ company: companyId, app: appId }, context) {
        const clients = await (await context.directory()).clients.list(companyId, appId);
        const columns = {
          provider: (one: ClientResponse) => one.providerName,
          issuer: (one: ClientResponse) => one.issuer,
          scopes: (one: ClientResponse) => one.scopes,
          accounts: (one: ClientResponse) => one.accountPolicy ?? 'application',
          'mapped values': (one: ClientResponse) => Object.keys(one.claimMapping.values).length,
          client: (one: ClientResponse) => one.clientId,
          secret: (one: ClientResponse) => one.hasSecret,
          'redirect address': (one: ClientResponse) => one.redirectUri,
        };
        return table(clients.map(withoutSecret), columns, `Application ${appId} has no clients.`);
      },
    }),
    action({
      name: 'add',
      summary: 'Adds a client, and its provider if it is new.',
      flags: {
        company,
        app,
        provider,
        issuer: optional(text('<address>', 'The address of the provider; required for a new provider.')),
        scopes: optional(
          text('<names>', 'The scopes to request, separated by spaces; "openid email" for a new provider.'),
        ),
        ...ofProvider,
        clientId,
        secretFile,
        redirectUri: text(
          '<address>',
          'The address to which the provider sends the user back; each issuer needs its own.',
        ),
      },
      async run({ company: companyId, app: appId, provider: providerName, ...given }, context) {
        const location = { companyId, appId };
        const secret = secretOf(given.secretFile, context);
        const deps = await depsOf(context, secret);
        await createClient(deps, operator, location, providerName, {
          clientId: given.clientId,
          redirectUri: given.redirectUri,
          ...(secret === undefined ? {} : { secret }),
          provider: columnsOf(given),
        });
        const made = withoutSecret(await deps.directory.clients.get(companyId, appId, providerName, given.clientId));
        const kind = made.hasSecret ? 'with its secret' : 'without a secret';
        return line(`Client ${made.clientId} of provider ${providerName} was added, ${kind}.`, made);
      },
    }),
    action({
      name: 'update',
      summary:
        'Changes the given values of a client; issuer, scopes, claim mapping and accounts belong to its provider.',
      flags: {
        company,
        app,
        provider,
        clientId,
        issuer: optional(text('<address>', 'The new address of the provider.')),
        scopes: optional(text('<names>', 'The new scopes, separated by spaces.')),
        ...ofProvider,
        redirectUri: optional(text('<address>', 'The new redirect address.')),
        secretFile,
        noSecret: toggle('Remove the secret, for a public client.'),
      },
      async run({ company: companyId, app: appId, provider: providerName, clientId: named, ...given }, context) {
        const location = { companyId, appId };
        const secret = secretOf(given.secretFile, context);
        if (given.noSecret && secret !== undefined) throw new UsageError('Give a secret or --no-secret, not both.');
        const deps = await depsOf(context, secret);
        await updateClient(deps, operator, location, providerName, named, {
          provider: columnsOf(given),
          ...(given.redirectUri === undefined ? {} : { redirectUri: given.redirectUri }),
          ...(given.noSecret ? { secret: null } : secret === undefined ? {} : { secret }),
        });
        const changed = withoutSecret(await deps.directory.clients.get(companyId, appId, providerName, named));
        return line(`Client ${named} of provider ${providerName} was changed.`, changed);
      },
    }),
    action({
      name: 'remove',
      summary: 'Removes a client: sign-ins with it end, tokens stay valid.',
      flags: { company, app, provider, clientId },
      async run({ company: companyId, app: appId, provider: providerName, clientId: removed }, context) {
        await deleteClient(await context.accounts(), operator, { companyId, appId }, providerName, removed);
        const json = { companyId, appId, providerName, clientId: removed };
        return line(`Client ${removed} of provider ${providerName} was removed.`, json);
      },
    }),
  ],
};

/** The given secret; never taken from the command line, which others on the machine can read. */
function secretOf(path: string | undefined, context: CommandContext): string | undefined {
  const secret = path === undefined ? context.variables[secretVariable] : readSecret(path);
  return secret === '' ? undefined : secret;
}

/** Without a secret, no key is requested or created. */
async function depsOf(context: CommandContext, secret: string | undefined) {
  const deps = await context.accounts();
  const nothing: Sealing['seal'] = {
    keyIds: new Set(),
    seal() {
      throw new Error('There is no secret to seal.');
    },
  };
  return { ...deps, seal: secret === undefined ? nothing : await context.seal() };
}

function readSecret(path: string): string {
  const secret = readFile('--secret-file', path).trim();
  if (secret === '') throw malformed('--secret-file', 'expected a client secret in the file, got an empty one.');
  return secret;
}

/** `application` means no policy of its own. */
function columnsOf(given: {
  readonly issuer: string | undefined;
  readonly scopes: string | undefined;
  readonly claimMapping: string | undefined;
  readonly accounts: AccountPolicy | 'application' | undefined;
}): Partial<ProviderColumns> {
  const { issuer, scopes, claimMapping: path, accounts } = given;
  return {
    ...(issuer === undefined ? {} : { issuer }),
    ...(scopes === undefined ? {} : { scopes }),
    ...(path === undefined ? {} : { claimMapping: parsedClaimMapping(readFile('--claim-mapping', path)) }),
    ...(accounts === undefined ? {} : { accountPolicy: accounts === 'application' ? null : accounts }),
  };
}

function readFile(flag: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw malformed(flag, `the file can't be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

/** Shows whether there is a secret, not the sealed text. */
function withoutSecret({ secretSealed, ...client }: Client) {
  return { ...client, hasSecret: secretSealed !== null };
}

type ClientResponse = ReturnType<typeof withoutSecret>;
