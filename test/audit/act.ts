/** The description of an administrative act: the request on each surface, and the entry, which is the same for all. */
import type { AdminRequest, ClientRequest, CommandLine, Entry, Subject, Surfaces } from './surfaces.ts';

export interface Act {
  readonly name: string;
  /** Creates what the act needs. */
  make?(surfaces: Surfaces, name: string): Promise<Partial<Subject>>;
  client?(subject: Subject): ClientRequest;
  admin?(subject: Subject): AdminRequest;
  cli?(subject: Subject): CommandLine;
  entry(subject: Subject, surfaces: Surfaces): Entry | readonly Entry[];
}

export const one = { companyId: 1 };
export const shop = { companyId: 1, appId: 'shop' };
/** Id of the group North of company 1. */
export const north = 1;
/** Id of the built-in role User. */
export const plainUser = 5;

/** Of company 1. */
export function entry(action: string, target: string, detail: object, appId: string | null = null): Entry {
  return { action, target, companyId: 1, appId, detail };
}
