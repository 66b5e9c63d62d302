/** Ids that nobody else makes. */

/** 128 random bits in hexadecimal. Unlike `crypto.randomUUID`, it is there over plain http, too. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** An objectId in the form of the service's, so that it sorts by time among them. */
export function newObjectId(table: string): string {
  return `${table}_${Date.now().toString(16).padStart(12, '0')}${randomId().slice(12)}`;
}
