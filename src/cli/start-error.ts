/** Describes the usual start failures of the service in one sentence that names the thing and says what to do. */
import { resolve } from 'node:path';
import type { Settings } from '../config.ts';
import { ServiceError } from '../errors.ts';
import { parseLocation } from '../storage/location.ts';

export function startError(error: unknown, settings: Settings): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall === 'listen' || syscall === 'bind') return listenError(error, code, settings);
  if (syscall === 'getaddrinfo' && code === 'ENOTFOUND') return listenError(error, code, settings);
  return error instanceof ServiceError ? storageError(error, settings) : error;
}

function listenError(error: unknown, code: string | undefined, { host, port }: Settings): unknown {
  const address = `${host}, port ${port}`;
  switch (code) {
    case 'EADDRINUSE':
      return refusal(`${address}: another program is listening there; choose another port with --port.`);
    case 'EACCES':
      return refusal(`${address}: this user may not listen there; choose another port, from 1024 on, with --port.`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return refusal(`${address}: this machine has no such address; choose another one with --host.`);
    default:
      return error;
  }
}

/** Clients get storage errors without the cause, which is logged; the operator needs it at the start. */
function storageError(error: ServiceError, { storage }: Settings): unknown {
  const { cause } = error.details;
  const location = parseLocation(storage);
  if (location.engine !== 'sqlite' || !(cause instanceof Error) || !/\(SQLite \d+\)/.test(cause.message)) return error;
  const advice = cause.message.includes('is full') ? 'Free some space, then start again.' : 'Check the disk.';
  return new Error(`storage: ${resolve(location.folder)} cannot be written to: ${cause.message}. ${advice}`);
}

function refusal(message: string): ServiceError {
  return new ServiceError('malformed', message);
}
