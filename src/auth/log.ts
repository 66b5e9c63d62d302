/** What sign-in writes to the service's own log: facts for the operator, never a token, code or claim. */
import type { Logger } from 'pino';

export type AuthLog = Pick<Logger, 'info' | 'warn' | 'error'>;
