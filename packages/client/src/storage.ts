/** Where sign-ins are kept: `localStorage`, `sessionStorage` and React Native's `AsyncStorage` can be used directly. */

/** Texts by key. Keys have letters, digits, dots, hyphens and underscores only. */
export interface TextStorage {
  getItem(key: string): string | null | Promise<string | null>;
  setItem(key: string, text: string): void | Promise<void>;
  removeItem(key: string): void | Promise<void>;
}

/** Keeps texts for as long as the program runs. */
export function memoryStorage(): TextStorage {
  const texts = new Map<string, string>();
  return {
    getItem: (key) => texts.get(key) ?? null,
    setItem: (key, text) => void texts.set(key, text),
    removeItem: (key) => void texts.delete(key),
  };
}

/** The prefix of all keys of one application version of one service, so that several can share a storage. */
export function keysOf(prefix: string): string {
  const escaped = (character: string) => `_${character.charCodeAt(0).toString(16)}_`;
  return `rowhouse.${prefix.replaceAll(/[^A-Za-z0-9.-]/g, escaped)}`;
}

/** @returns null if nothing is stored, or something that is not ours */
export async function readJson<Value>(storage: TextStorage, key: string): Promise<Value | null> {
  const text = await storage.getItem(key);
  try {
    return JSON.parse(text ?? 'null') as Value | null;
  } catch {
    return null;
  }
}
