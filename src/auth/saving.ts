/** Reports a failed write of the auth module with the code that the operation lists for it. */
import { type Code, ServiceError } from '../errors.ts';

/**
 * The outcome of a write.
 * @throws ServiceError with `code` when it failed; unchanged when the database is busy (503, try again).
 */
export async function saved<Outcome>(code: Code, message: string, write: Promise<Outcome>): Promise<Outcome> {
  try {
    return await write;
  } catch (cause) {
    if (cause instanceof ServiceError && cause.reason === 'busy') throw cause;
    throw new ServiceError(code, message, { cause });
  }
}
