/** Sign-in in a browser: the page, or a pop-up, goes to the provider and comes back. */
import { queryOf, refusal, type SignInRequest } from './sign-in.ts';
import type { User, UserSession, Visit } from './user-session.ts';

/** Parameters that providers add to the redirect address. */
const added = 'code state iss session_state error error_description error_uri scope authuser prompt hd'.split(' ');
const lookMs = 500;
const handOverMs = 3_000;

/** Leaves the page for the provider. The page at the redirect address calls `resume`. @throws RowhouseError */
export async function signInWithRedirect(session: UserSession, request: SignInRequest): Promise<void> {
  location.assign(await session.begin(request));
}

/**
 * Every page calls this first. It completes a sign-in whose answer is in the address, and removes the answer from the
 * address bar at once. In a pop-up, it passes the answer to the page that opened it, and closes the window.
 * @returns the signed-in user; null if there is none
 * @throws SignInRefused if the provider or the service refused
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
 * Opens a window at once, which browsers allow only during a click: `session.signIn(request, popup())`.
 * A window that the user closes is noticed within a second or so of the user's return to this page.
 * @param closedMs how long to wait for the answer after the window seems closed, in milliseconds, where this page cannot know:
 * a window whose first page has `Cross-Origin-Opener-Policy` seems closed while it is open
 */
export function popup(features = 'popup,width=480,height=640', closedMs = 60_000): Visit {
  const opened = open('about:blank', '_blank', features);
  const visit = async (address: string) => {
    if (opened === null) throw refusal('The browser opened no window for the sign-in: its pop-up blocker may be on.');
    const returned = answerTo(queryOf(address).get('state') as string, opened, closedMs);
    opened.location.href = address;
    return await returned;
  };
  return Object.assign(visit, { cancel: () => opened?.close() });
}

const channelOf = (state: string) => new BroadcastChannel(`rowhouse.sign-in.${state}`);

/**
 * The address passed by the page at the redirect address.
 * @throws SignInRefused if the window was closed for this long without an answer
 */
function answerTo(state: string, opened: Window, closedMs: number): Promise<string> {
  const channel = channelOf(state);
  return new Promise<string>((resolve, reject) => {
    let lookedMs = 0;
    let isInTouch = false;
    const look = setInterval(() => {
      if (!opened.closed) {
        isInTouch ||= hasForeignPage(opened);
        return;
      }
      lookedMs += lookMs;
      // A later page of the provider may still be cut off, but the user is back here.
      if (lookedMs <= (isInTouch && document.hasFocus() ? lookMs : closedMs)) return;
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

/** Whether the window shows a page of another origin, and is not cut off from this page: its address cannot be read. */
function hasForeignPage({ location }: Window): boolean {
  try {
    void location.href;
    return false;
  } catch {
    return true;
  }
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
