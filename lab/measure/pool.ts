/** Connections to PostgreSQL, the same for every server that is measured on it. */
import { defaults } from '../../src/config.ts';

/** At most, of one server: what the service has by default, and what floors and peers are set to. */
export const databaseConnections = defaults.databaseConnectionsMax;

export const poolText = `On PostgreSQL each server has at most ${databaseConnections} connections to it.`;
