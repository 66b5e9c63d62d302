/** Every operation of the administration interface. */
import { getMe } from './me.ts';
import type { AdminOperation } from './operation.ts';

export const adminOperations: readonly AdminOperation[] = [getMe];
