/** Connections to PostgreSQL, the same number for every server measured on it. */
import { defaults } from '../../src/config.ts';

/** Maximum for one server: the service's default, to which floors and peers are set. */
export const databaseConnections = defaults.databaseConnectionsMax;

export const poolText = `On PostgreSQL each server has at most ${databaseConnections} connections to it.`;
