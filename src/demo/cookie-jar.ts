/** A cookie jar with just enough for one sign-in: cookies by host, without paths and expiry times. */

export type CookieJar = Map<string, Map<string, string>>;

export function newCookieJar(): CookieJar {
  return new Map();
}

/** One request, without following its redirect; a form is posted. */
export async function fetchWithCookies(jar: CookieJar, url: URL, form: URLSearchParams | null): Promise<Response> {
  const cookies = jar.get(url.host) ?? new Map<string, string>();
  jar.set(url.host, cookies);
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const headers: Record<string, string> = cookie === '' ? {} : { cookie };
  const request = { redirect: 'manual', headers } as const;
  const response = await fetch(url, form === null ? request : { ...request, method: 'POST', body: form });
  for (const line of response.headers.getSetCookie()) {
    const [pair = ''] = line.split(';');
    const equals = pair.indexOf('=');
    const [name, value] = [pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()];
    if (value === '') cookies.delete(name);
    else cookies.set(name, value);
  }
  return response;
}
