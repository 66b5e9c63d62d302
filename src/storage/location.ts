/** Reads the setting `storage`: the engine, the location of the data, and the location without its password. */

export type StorageLocation =
  | { readonly engine: 'sqlite'; readonly folder: string }
  /** `url` usually holds a password: it must not get into a log, an error or an answer. */
  | { readonly engine: 'postgres'; readonly url: string };

/** @throws Error for an unknown engine */
export function parseLocation(storage: string): StorageLocation {
  if (/^postgres(ql)?:\/\//.test(storage)) return { engine: 'postgres', url: storage };
  const [engine, ...rest] = storage.split(':');
  const folder = rest.join(':');
  // The text after the colon may hold a password, so the error omits it.
  if (engine !== 'sqlite') {
    const expected = '"sqlite:<folder>" or "postgres://<user>:<password>@<host>:<port>/<database>"';
    throw new Error(`storage: expected ${expected}, got the engine "${engine}".`);
  }
  if (folder === '') throw new Error('storage: expected "sqlite:<folder>", got "sqlite:" without a folder.');
  return { engine, folder };
}

/** The folder, or the address without user and password: safe in logs and errors. */
export function redactedLocation(location: StorageLocation): string {
  if (location.engine === 'sqlite') return location.folder;
  // Any other @ may belong to a password that was not percent-encoded.
  const [, hosts, path] =
    /^[a-z]+:\/\/(?:[^@/?#]*@)?([\w[][^@/?#]*)(\/[^@?#]*)?(?:[?#][^@]*)?$/.exec(location.url) ?? [];
  return hosts === undefined ? 'a PostgreSQL server' : `postgres://${hosts}${path ?? ''}`;
}

/** Whether several processes may serve it at once. */
export function supportsSeveralProcesses(location: StorageLocation): boolean {
  return location.engine === 'postgres';
}
