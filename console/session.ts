/** Who is signed in, and what they may do. */
import { computed, signal } from '@preact/signals';
import { actAs, call, holdCsrfToken, Refusal, type Results } from './api.ts';

export type Me = Results<'GET /me'>;

/** Null while nobody is signed in. */
export const me = signal<Me | null>(null);

/** Whether the signed-in person has this permission anywhere; the service decides where exactly. */
export const may = computed(() => {
  const allowed = new Set(me.value?.permissions ?? []);
  return (permission: string) => allowed.has(permission);
});

/** Tells the other tabs of this browser that someone has signed in. */
const signIns = new BroadcastChannel('rowhouse.signIn');

/** Calls `listen` when someone has signed in in another tab. @returns a function that stops it */
export function onSignIn(listen: () => void): () => void {
  signIns.addEventListener('message', listen);
  return () => signIns.removeEventListener('message', listen);
}

/** Finds out who is signed in. @throws Refusal if the service can't tell */
export async function findSession(): Promise<void> {
  try {
    await joinSession();
    signIns.postMessage(null);
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 401) throw error;
  }
}

/** Acts as whoever is signed in in this browser. @throws Refusal */
export async function joinSession(): Promise<void> {
  enter((await call('GET /me', {})).results);
}

export async function signIn(body: { account: string; password: string; companyId?: number }): Promise<void> {
  const { results } = await call('POST /sign-in', { body });
  holdCsrfToken(results.csrfToken);
  await joinSession();
  signIns.postMessage(null);
}

/** Ends the session and forgets all that was on the screen. */
export async function signOut(): Promise<void> {
  await call('POST /sign-out', {});
  location.hash = '';
  location.reload();
}

/** The data of all users; only of the signed-in user, if that user may not see those of others. */
export async function orOwn<Found>(all: () => Promise<Found>, own: (userId: number) => Promise<Found>): Promise<Found> {
  const person = me.peek();
  try {
    return await all();
  } catch (error) {
    if (person?.companyId === undefined || !(error instanceof Refusal) || error.status !== 403) throw error;
    return await own(person.id);
  }
}

function enter(person: Me): void {
  me.value = person;
  actAs(person, () => location.reload());
}
