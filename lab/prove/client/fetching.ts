/** How clients of the proof reach the service: by the faults proxy, which is told what to do to each batch. */
import { type Client, createClient } from '../../../packages/client/src/client.ts';
import { createOutbox, type Outbox } from '../../../packages/client/src/outbox/outbox.ts';
import type { OutboxStore } from '../../../packages/client/src/outbox/store.ts';

export interface Reach {
  /** Of the proxy. */
  readonly url: string;
  /** `/api/{companyId}/{appId}/{appVersion}` */
  readonly prefix: string;
  readonly token: string;
}

/** What a tab is given. */
export interface TabWork {
  readonly reach: Reach;
  readonly database: string;
  readonly lane: string;
  readonly from: number;
  readonly batches: number;
  readonly seed: number;
}

/** Shorter than the proxy stalls. */
const timeoutMs = 2_000;
const pauseMs = 5;

/** @param faultOf asked for each batch that is sent */
export function openOutbox({ url, prefix, token }: Reach, store: OutboxStore, faultOf: () => string) {
  const session = {
    current: async () => ({ userId: '1', token }),
    token: async () => token,
    refused: async () => null,
    refresh: async () => token,
    onChange: () => () => {},
  };
  const outbox: Outbox = createOutbox({ session, store, pauseMs });
  const [, , companyId, appId = '', appVersion = ''] = prefix.split('/');
  const client: Client<Record<never, never>> = createClient({
    ...{ url, companyId: Number(companyId), appId, appVersion, session, timeoutMs },
    ...{ commit: outbox.connect, attemptsMax: 1 },
    fetch: (input, init) => {
      const fault = String(input).endsWith('/batch') ? faultOf() : 'none';
      return fetch(input, { ...init, headers: { ...(init?.headers as Record<string, string>), 'x-fault': fault } });
    },
  });
  return { outbox, commit: client.commit };
}
