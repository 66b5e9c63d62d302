/** Replaces `curl` for the pages, on machines without it. Unknown options are refused. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    silent: { type: 'boolean', short: 's' },
    'show-error': { type: 'boolean', short: 'S' },
    request: { type: 'string', short: 'X' },
    header: { type: 'string', short: 'H', multiple: true, default: [] },
    data: { type: 'string', short: 'd' },
    cookie: { type: 'string', short: 'b' },
    'cookie-jar': { type: 'string', short: 'c' },
  },
});
const [address, ...more] = positionals;
if (address === undefined || more.length > 0) throw new Error(`Expected one address, got ${positionals.length}.`);

const { data, cookie: cookieFile, 'cookie-jar': cookieJar } = values;
const headers: Record<string, string> = { accept: '*/*' };
if (data !== undefined) headers['content-type'] = 'application/x-www-form-urlencoded';
for (const line of values.header) {
  const colon = line.indexOf(':');
  headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
}
if (cookieFile !== undefined && existsSync(cookieFile)) headers.cookie = readFileSync(cookieFile, 'utf8');

const method = values.request ?? (data === undefined ? 'GET' : 'POST');
const asked = request(address, { method, headers }, (response) => {
  const cookies = (response.headers['set-cookie'] ?? []).map((cookie) => cookie.split(';', 1)[0]);
  if (cookieJar !== undefined) writeFileSync(cookieJar, cookies.join('; '));
  response.pipe(process.stdout);
});
asked.end(data);
