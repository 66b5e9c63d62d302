/** Where the service is between its start and its end: what `/readyz` tells, and whether open connections are served. */

/**
 * `starting` while what it serves is being made · `ready` · `leaving` it serves on, and tells load balancers to send
 * nothing more · `closing` it takes no connections, and refuses what comes on open ones.
 */
export type Stage = 'starting' | 'ready' | 'leaving' | 'closing';

export interface ServiceState {
  stage: Stage;
}
