/** Whether the descriptions of the interfaces list an answer for the operation. */
import assert from 'node:assert/strict';
import type { Code } from '../../src/errors.ts';
import { operationsOf } from '../../src/http/api/operations.ts';
import { codesOf, statusesOf } from '../../src/operations/answers.ts';
import type { Operation } from '../../src/operations/define.ts';
import type { Answer } from './client.ts';
import { valueAt } from './match.ts';

/** Answers below 400 are not errors; an invalid request is 199 everywhere. */
export function assertDocumented(operation: Operation, answer: Answer, what: string): void {
  const code = Number(valueAt(answer.json, 'errCode')) as Code;
  if (answer.status < 400 || code === 199) return;
  const context = `${operation.name} ${what}: ${answer.status} ${answer.text.slice(0, 300)} is not documented`;
  assert.ok(codesOf(operation).includes(code) && statusesOf(operation, code).includes(answer.status), context);
}

/**
 * The operation that a path below `/api/{companyId}/{appId}/{appVersion}` belongs to; an exact path precedes one with
 * parameters.
 */
export function operationAt(method: string, url: string): Operation | undefined {
  const path = url.split('?', 1)[0]?.replace(/^\/api\/[^/]+\/[^/]+\/[^/]+/, '') ?? '';
  const fits = (operation: Operation) =>
    new RegExp(`^${operation.path.replaceAll(/:\w+/g, '[^/]+')}$`).test(path) && operation.method === method;
  return operationsOf('client')
    .filter(fits)
    .sort((a, b) => a.path.split(':').length - b.path.split(':').length)[0];
}
