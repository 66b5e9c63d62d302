/** Keeps the sessions, grants and codes of the demo's identity provider in memory until they expire. */
import type { Adapter, AdapterPayload } from 'oidc-provider';

interface Entry {
  readonly payload: AdapterPayload;
  readonly expires: number;
}

/** Number of entries at which expired ones are swept. */
const sweepAt = 1_000;

/** One store for all kinds of entries of one provider. */
export function memoryAdapters(): (kind: string) => Adapter {
  const entries = new Map<string, Entry>();

  function sweep(): void {
    const now = Date.now();
    for (const [key, entry] of entries) if (entry.expires <= now) entries.delete(key);
  }
  function active(key: string): AdapterPayload | undefined {
    const entry = entries.get(key);
    return entry !== undefined && entry.expires > Date.now() ? entry.payload : undefined;
  }
  const having = (kind: string, wanted: Partial<AdapterPayload>): AdapterPayload | undefined => {
    const [name, value] = Object.entries(wanted)[0] ?? [];
    for (const [key, { payload }] of entries) {
      if (key.startsWith(`${kind}:`) && payload[name as keyof AdapterPayload] === value) return active(key);
    }
    return undefined;
  };

  return (kind) => ({
    async upsert(id, payload, expiresIn) {
      if (entries.size >= sweepAt) sweep();
      entries.set(`${kind}:${id}`, { payload, expires: expiresIn ? Date.now() + expiresIn * 1_000 : Infinity });
    },
    find: async (id) => active(`${kind}:${id}`),
    findByUid: async (uid) => having(kind, { uid }),
    findByUserCode: async (userCode) => having(kind, { userCode }),
    async consume(id) {
      const entry = entries.get(`${kind}:${id}`);
      if (entry !== undefined) entry.payload.consumed = Math.floor(Date.now() / 1_000);
    },
    async destroy(id) {
      entries.delete(`${kind}:${id}`);
    },
    async revokeByGrantId(grantId) {
      for (const [key, { payload }] of entries) if (payload.grantId === grantId) entries.delete(key);
    },
  });
}
