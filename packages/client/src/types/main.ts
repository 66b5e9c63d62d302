/** The command `rowhouse-client types`: writes the tables of an application as TypeScript. */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { RowhouseError } from '../errors.ts';
import { tokenSession } from '../session.ts';
import { createTransport } from '../transport.ts';
import { typescriptOf } from './typescript.ts';

/** What `--help` shows. */
export const help: string = `rowhouse-client types: writes the tables of an application as TypeScript.

  rowhouse-client types --url <url> --company <id> --app <appId> --version <version> --out <file>
  rowhouse-client types --tables <file> --out <file>

  --url         The address of the service, including its context root.
  --company     The company.
  --app         The application.
  --version     Its version, like 1.0.0.
  --token-file  A file with the token of a user who may read definitions; by default the token is in the variable ROWHOUSE_TOKEN.
  --tables      A file written by "rowhouse tables pull", instead of a service.
  --out         The file to write; by default the standard output.
  --check       Writes nothing, and fails if the file is not up to date: for CI.
  --help        Shows this.
`;

/** Wrong use: one line, and exit status 2. */
export class TypesUsageError extends Error {}

const options = {
  url: { type: 'string' },
  company: { type: 'string' },
  app: { type: 'string' },
  version: { type: 'string' },
  'token-file': { type: 'string' },
  tables: { type: 'string' },
  out: { type: 'string' },
  check: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

/** The values of the flags, which the help describes. */
export interface TypesRequest {
  readonly url?: string | undefined;
  readonly company?: string | undefined;
  readonly app?: string | undefined;
  readonly version?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly tables?: string | undefined;
  readonly out?: string | undefined;
  readonly check?: boolean | undefined;
}

/** A message on what was done, and whether a check found a difference; `text` is the output if no file was named. */
export interface Written {
  readonly told: string;
  readonly text?: string;
  readonly isStale: boolean;
}

/** @throws TypesUsageError, RowhouseError, and errors of files with their own messages */
export async function writeTypes(request: TypesRequest, token: string | undefined): Promise<Written> {
  const { out, check = false } = request;
  if (check && out === undefined) throw new TypesUsageError('--check: expected --out, the file to be checked.');
  const tables =
    request.tables === undefined ? await described(request, token) : JSON.parse(readFileSync(request.tables, 'utf8'));
  const text = typescriptOf(tables);
  if (out === undefined) return { told: '', text, isStale: false };
  if (!check) {
    writeFileSync(out, text);
    return { told: `${out} was written.`, isStale: false };
  }
  const isStale = readFileSync(out, 'utf8') !== text;
  return { told: `${out} ${isStale ? 'is not what the tables are by now' : 'is up to date'}.`, isStale };
}

async function described(request: TypesRequest, token: string | undefined): Promise<unknown> {
  const { url, company, app, version } = request;
  for (const name of ['url', 'company', 'app', 'version'] as const) {
    if (request[name] === undefined) throw new TypesUsageError(`--${name}: expected a value, or --tables with a file.`);
  }
  const file = request.tokenFile;
  const found = (file === undefined ? token : readFileSync(file, 'utf8'))?.trim();
  if (!found)
    throw new TypesUsageError('Expected a token in the variable ROWHOUSE_TOKEN, or a file of it as --token-file.');
  if (!/^https?:/.test(String(url)))
    throw new TypesUsageError(
      `--url: expected an address such as https://data.example.com, got ${JSON.stringify(url)}.`,
    );
  const place = { url: String(url), companyId: Number(company), appId: String(app), appVersion: String(version) };
  const session = tokenSession(found);
  const { answer } = await createTransport(place, () => session).send('describeTables', {});
  return answer.results;
}

/** The command as a process: exit status 0; 1 for an error, or a check that found a difference; 2 for wrong use. */
export async function main(
  words: readonly string[],
  variables: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  try {
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true });
    if (values.help || words.length === 0) {
      process.stdout.write(help);
      return 0;
    }
    if (positionals.join() !== 'types')
      throw new TypesUsageError(`Expected the word "types", got ${JSON.stringify(positionals.join(' '))}.`);
    const { told, text, isStale } = await writeTypes(
      { ...values, tokenFile: values['token-file'] },
      variables.ROWHOUSE_TOKEN,
    );
    process.stdout.write(text ?? `${told}\n`);
    return isStale ? 1 : 0;
  } catch (error) {
    const isUsage =
      error instanceof TypesUsageError || (error as { code?: unknown }).code?.toString().startsWith('ERR_PARSE_ARGS');
    const code = error instanceof RowhouseError && error.code !== null ? `${error.code}: ` : '';
    process.stderr.write(
      `${code}${(error as Error).message}\n${isUsage ? 'rowhouse-client --help shows how it is used.\n' : ''}`,
    );
    return isUsage ? 2 : 1;
  }
}
