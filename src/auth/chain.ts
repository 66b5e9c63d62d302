/**
 * An ordered list of checks. Each check sees what earlier ones found, may refuse with its own code, and adds what it
 * finds; nothing is ever changed or removed.
 */
import { type Code, ServiceError } from '../errors.ts';

/** Makes the error with the check's own code. The cause is for the log: it must hold no secret. */
export type Refuse = (message: string, cause?: unknown) => ServiceError;

/** Returns an object that is added to what is known, or nothing. */
export type Check<Deps, Known, Found> = (deps: Deps, known: Known, refuse: Refuse) => Found | Promise<Found>;

export interface Checks<Deps, Start, Known> {
  /** The list with one more check at its end. */
  check<Found>(
    code: Code,
    check: Check<Deps, Known, Found>,
  ): Checks<Deps, Start, Known & (Found extends object ? Found : unknown)>;
  /** The codes in their order. */
  readonly codes: readonly Code[];
  /** Runs every check in order. @throws ServiceError of the first one that refuses. */
  run(deps: Deps, start: Start): Promise<Known>;
}

type AnyCheck<Deps> = Check<Deps, never, unknown>;

/** An empty list: only the start values are known. */
export function noChecks<Deps, Start extends object>(): Checks<Deps, Start, Start> {
  return checksOf<Deps, Start, Start>([]);
}

function checksOf<Deps, Start extends object, Known>(
  entries: readonly { readonly code: Code; readonly check: AnyCheck<Deps> }[],
): Checks<Deps, Start, Known> {
  return {
    codes: entries.map((entry) => entry.code),
    check: (code, check) => checksOf([...entries, { code, check }]),
    async run(deps, start) {
      let known: object = start;
      for (const { code, check } of entries) {
        const refuse: Refuse = (message, cause) => new ServiceError(code, message, { cause });
        const found = await check(deps, known as never, refuse);
        if (typeof found === 'object' && found !== null) known = { ...known, ...found };
      }
      return known as Known;
    },
  };
}
