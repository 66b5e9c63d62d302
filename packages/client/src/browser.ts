/** Sign-in in a browser: the page goes to the provider and comes back, or a pop-up does. */
import { refusal, type SignInRequest } from './sign-in.ts';
import type { User, UserSession, Visit } from './user-session.ts';

/** What providers add to the redirect address. */
const added = [
  ...['code', 'state', 'iss', 'session_state', 'error', 'error_description', 'error_uri'],
  ...['scope', 'authuser', 'prompt', 'hd'],
];
const lookMs = 500;
const handOverMs = 3_000;

/** Leaves the page for the provider. The page at the redirect address calls `resume`. @throws RowhouseError */
export async function signInWithRedirect(session: UserSession, request: SignInRequest): Promise<void> {
  location.assign(await session.begin(request));
}

/**
 * What every page calls first: ends a sign-in whose answer is in its address, which it takes out of the address bar at once. In a
 * pop-up it hands the answer to the page that opened it, and closes.
 * @returns who is signed in; null if nobody is
 * @throws SignInRefused where the provider or the service refused
 */
export async function resume(session: UserSession): Promise<User | null> {
  const page = new URL(location.href);
  const { href: returned, searchParams } = page;
  const state = searchParams.get('state');
  if (state === null || !(searchParams.has('code') || searchParams.has('error'))) return session.user();
  for (const name of added) searchParams.delete(name);
  history.replaceState(history.state, '', page);
  if (!(await session.finishesHere(state)) && (await handOver(state, returned))) {
    close();
    return null;
  }
  return session.finish(returned);
}

/**
 * Opens a window at once, as browsers allow during a click only: `session.signIn(request, popup())`.
 * @param closedMs how long the answer is waited for after the window seems to be closed, in milliseconds: a window whose page has
 * `Cross-Origin-Opener-Policy` seems so while it is open
 */
export function popup(features = 'popup,width=480,height=640', closedMs = 60_000): Visit {
  const opened = open('about:blank', '_blank', features);
  return async (address) => {
    if (opened === null) throw refusal('The browser opened no window for the sign-in: its pop-up blocker may be on.');
    const returned = answerTo(new URL(address).searchParams.get('state') as string, () => opened.closed, closedMs);
    opened.location.href = address;
    return await returned;
  };
}

const channelOf = (state: string) => new BroadcastChannel(`rowhouse.sign-in.${state}`);

/** The address that the page at the redirect address hands over. @throws SignInRefused if the window is closed for so long before */
function answerTo(state: string, isClosed: () => boolean, closedMs: number): Promise<string> {
  const channel = channelOf(state);
  return new Promise<string>((resolve, reject) => {
    let lookedMs = 0;
    const look = setInterval(() => {
      if (isClosed()) lookedMs += lookMs;
      if (lookedMs <= closedMs) return;
      end();
      reject(refusal('The window of the sign-in was closed.'));
    }, lookMs);
    function end(): void {
      clearInterval(look);
      channel.close();
    }
    channel.onmessage = ({ data }) => {
      if (typeof data !== 'string') return;
      channel.postMessage(true);
      end();
      resolve(data);
    };
  });
}

/** @returns whether another page took the answer */
function handOver(state: string, address: string): Promise<boolean> {
  const channel = channelOf(state);
  return new Promise((resolve) => {
    const end = (isTaken: boolean) => {
      clearTimeout(late);
      channel.close();
      resolve(isTaken);
    };
    const late = setTimeout(end, handOverMs, false);
    channel.onmessage = ({ data }) => {
      if (data === true) end(true);
    };
    channel.postMessage(address);
  });
}
