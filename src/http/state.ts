/** The stage between start and end of the service: what `/readyz` answers, and whether open connections are served. */

/**
 * `starting` preparing to serve · `ready` · `leaving` still serving, and telling load balancers to send nothing more ·
 * `closing` accepting no connections, and refusing new requests on open ones.
 */
export type Stage = 'starting' | 'ready' | 'leaving' | 'closing';

export interface ServiceState {
  stage: Stage;
}
