/**
 * Which token a request carries (docs/reference/requests.md#the-token): the token header, a configured one, or `token` in
 * the query.
 */
import type { FastifyRequest } from 'fastify';
import type { Settings } from '../config.ts';
import { ServiceError } from '../errors.ts';
import type { Operation } from '../operations/define.ts';
import { tokenHeader } from '../operations/openapi.ts';

export type TokenReader = (request: FastifyRequest, operation: Operation) => string | undefined;

/** @throws ServiceError 121 (from the reader) when header and query carry different tokens */
export function tokenReader(settings: Pick<Settings, 'tokenHeaders'>): TokenReader {
  const names = [tokenHeader, ...settings.tokenHeaders.map((name) => name.toLowerCase())];
  return (request, operation) => {
    const header = headerOf(request, names);
    const inQuery = operation.tokenInQuery ? (request.query as { token?: unknown }).token : undefined;
    if (inQuery === undefined) return header;
    if (typeof inQuery !== 'string' || (header !== undefined && header !== inQuery)) {
      throw new ServiceError(121, 'The token in the query and the one in the header differ.');
    }
    return inQuery;
  };
}

function headerOf(request: FastifyRequest, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = request.headers[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}
