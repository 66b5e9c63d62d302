/** Adds the tables of the app to the demo, as Alice, who may define tables; existing ones stay unchanged. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const url = process.env.VITE_SERVICE ?? 'http://127.0.0.1:8080';
const path = (name) => new URL(name, import.meta.url);
const rowhouse = path('../../bin/rowhouse.js').pathname;
const token = execFileSync(process.execPath, [rowhouse, 'demo', 'token', 'alice', '--url', url], { encoding: 'utf8' });
const response = await fetch(`${url}/api/1/sampleApp/1_0_0/schemas`, {
  method: 'POST',
  headers: { 'service-token': token.trim(), 'content-type': 'application/json' },
  body: readFileSync(path('tables.json'), 'utf8'),
});
if (!response.ok) throw new Error((await response.json()).description);
console.log('The demo has the tables of the app.');
