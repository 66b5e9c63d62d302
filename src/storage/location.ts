/** Reads the setting `storage`: which engine it names, where the data are, and how that may be shown. */

export type StorageLocation =
  | { readonly engine: 'sqlite'; readonly folder: string }
  /** `url` holds a password as a rule: it must not get into a log, an error or an answer. */
  | { readonly engine: 'postgres'; readonly url: string };

/** @throws Error when it names no engine that there is */
export function parseLocation(storage: string): StorageLocation {
  if (/^postgres(ql)?:\/\//.test(storage)) return { engine: 'postgres', url: storage };
  const [engine, ...rest] = storage.split(':');
  const folder = rest.join(':');
  // What stands after the colon may hold a password, so it is not repeated.
  if (engine !== 'sqlite') {
    const expected = '"sqlite:<folder>" or "postgres://<user>:<password>@<host>:<port>/<database>"';
    throw new Error(`storage: an engine "${engine}" came; expected ${expected}.`);
  }
  if (folder === '') throw new Error('storage: "sqlite:" came without a folder; expected "sqlite:<folder>".');
  return { engine, folder };
}

/** The place as people may read it: the folder, or the address without who and with what password. */
export function redactedLocation(location: StorageLocation): string {
  if (location.engine === 'sqlite') return location.folder;
  // An @ anywhere else may be part of a password that was not written as it should be.
  const [, hosts, path] =
    /^[a-z]+:\/\/(?:[^@/?#]*@)?([\w[][^@/?#]*)(\/[^@?#]*)?(?:[?#][^@]*)?$/.exec(location.url) ?? [];
  return hosts === undefined ? 'a PostgreSQL server' : `postgres://${hosts}${path ?? ''}`;
}

/** Whether several processes may answer requests on it at once. */
export function supportsSeveralProcesses(location: StorageLocation): boolean {
  return location.engine === 'postgres';
}
