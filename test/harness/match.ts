/** Compares an answer with the expectation of a case: partial objects, exact arrays, patterns for texts. */
import assert from 'node:assert/strict';

/**
 * Objects are compared only by the expected keys; arrays must have the same length; a RegExp must match a string;
 * `absent` means that the key must be missing; everything else must be strictly equal.
 */
export function assertMatches(actual: unknown, expected: unknown, path = 'answer'): void {
  if (expected instanceof RegExp) {
    assert.ok(
      typeof actual === 'string' && expected.test(actual),
      `${path}: ${print(actual)} does not match ${expected}`,
    );
  } else if (Array.isArray(expected)) {
    assert.ok(Array.isArray(actual), `${path}: ${print(actual)} is not an array`);
    assert.equal(actual.length, expected.length, `${path}: number of entries in ${print(actual)}`);
    for (const [index, item] of expected.entries()) assertMatches(actual[index], item, `${path}[${index}]`);
  } else if (typeof expected === 'object' && expected !== null) {
    assert.ok(isRecord(actual), `${path}: ${print(actual)} is not an object`);
    for (const [key, value] of Object.entries(expected)) {
      if (value === absent) assert.ok(!(key in actual), `${path}.${key} must not be there: ${print(actual)}`);
      else assertMatches(actual[key], value, `${path}.${key}`);
    }
  } else {
    assert.deepEqual(actual, expected, `${path}: ${print(actual)} is not ${print(expected)}`);
  }
}

/** As an expected value: the key must be missing. */
export const absent: unique symbol = Symbol('absent');

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a dotted path (`results.0.objectId`), undefined if there is none. */
export function valueAt(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((inner, key) => {
    if (Array.isArray(inner)) return inner[Number(key)];
    return isRecord(inner) ? inner[key] : undefined;
  }, value);
}

function print(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= 600 ? text : `${text.slice(0, 600)}…`;
}
