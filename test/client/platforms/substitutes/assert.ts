/** On platforms other than Node: the part of `node:assert/strict` that the client's tests use. */

class AssertionError extends Error {
  constructor({ message, actual }: { readonly message: string; readonly actual?: unknown }) {
    super(actual === undefined ? message : `${message} It is ${shown(actual)}`);
    this.name = 'AssertionError';
  }
}

function check(isMet: boolean, message: string | Error | undefined, usual: () => string): void {
  if (isMet) return;
  throw message instanceof Error
    ? message
    : new AssertionError({ message: message ? `${message}: ${usual()}` : usual() });
}

/**
 * Whether two values consist of the same parts. Only for what the tests compare: primitive values, arrays, plain objects and errors.
 * @throws TypeError for any other, so that no comparison is weaker than on Node
 */
function isDeepEqual(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  const prototype = Object.getPrototypeOf(one);
  if (prototype !== Object.getPrototypeOf(other)) return false;
  if (![Object.prototype, Array.prototype, null].includes(prototype))
    throw new TypeError(`Not comparable: ${shown(one)}`);
  const [keys, others] = [Object.keys(one), Object.keys(other)];
  if (keys.length !== others.length || (Array.isArray(one) && one.length !== (other as unknown[]).length)) return false;
  return keys.every((key) => Object.hasOwn(other, key) && isDeepEqual(one[key as never], other[key as never]));
}

function shown(value: unknown): string {
  const plain = (_: string, part: unknown) => {
    if (part instanceof Error) return String(part);
    return part === undefined || typeof part === 'bigint' ? `${typeof part} ${part}` : part;
  };
  return JSON.stringify(value, plain) ?? String(value);
}

type Expected = RegExp | object | ((error: unknown) => unknown) | undefined;

/** Checks an error as Node's `assert.throws` does: by a class, a function, a pattern, or members. */
function checkThrown(error: unknown, expected: Expected): void {
  const usual = () => `Expected another error than ${shown(error)}`;
  if (expected === undefined) return;
  if (expected instanceof RegExp) {
    check(expected.test(String(error)), undefined, usual);
    return;
  }
  if (typeof expected !== 'function') {
    for (const [name, value] of Object.entries(expected)) {
      const got = (error as Record<string, unknown>)[name];
      check(isDeepEqual(got, value), undefined, () => `${name}: expected ${shown(value)}, got ${shown(got)}`);
    }
    return;
  }
  if (expected.prototype !== undefined && error instanceof expected) return;
  if (expected.prototype instanceof Error) throw error;
  check(expected(error) === true, undefined, usual);
}

const nothing = Symbol('nothing was thrown');

const assert = {
  AssertionError,
  fail(message = 'Failed'): never {
    throw new AssertionError({ message });
  },
  ok: (value: unknown, message?: string | Error): void =>
    check(Boolean(value), message, () => `Expected a true value, got ${shown(value)}`),
  equal: (actual: unknown, expected: unknown, message?: string): void =>
    check(Object.is(actual, expected), message, () => `Expected ${shown(expected)}, got ${shown(actual)}`),
  notEqual: (actual: unknown, other: unknown, message?: string): void =>
    check(!Object.is(actual, other), message, () => `Expected another value than ${shown(other)}`),
  deepEqual: (actual: unknown, expected: unknown, message?: string): void =>
    check(isDeepEqual(actual, expected), message, () => `Expected ${shown(expected)}, got ${shown(actual)}`),
  match: (actual: string, expected: RegExp, message?: string): void =>
    check(expected.test(actual), message, () => `Expected ${expected}, got ${shown(actual)}`),
  throws(work: () => unknown, expected?: Expected): void {
    let thrown: unknown = nothing;
    try {
      work();
    } catch (error) {
      thrown = error;
    }
    check(thrown !== nothing, undefined, () => 'Expected an error, got none');
    checkThrown(thrown, expected);
  },
  async rejects(work: Promise<unknown> | (() => Promise<unknown>), expected?: Expected): Promise<void> {
    const thrown = await (typeof work === 'function' ? work() : work).then(
      () => nothing,
      (error: unknown) => error,
    );
    check(thrown !== nothing, undefined, () => 'Expected an error, got none');
    checkThrown(thrown, expected);
  },
};
export default assert;
