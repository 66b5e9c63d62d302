/** Adds the tables of the app to the demo, as Alice, who may define tables; existing ones stay unchanged. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const url = process.env.VITE_SERVICE ?? 'http://127.0.0.1:8080';
const path = (name) => new URL(name, import.meta.url);
const rowhouse = fileURLToPath(path('../../bin/rowhouse.js'));
const token = tokenOf('alice');
const response = await fetch(`${url}/api/1/sampleApp/1_0_0/schemas`, {
  method: 'POST',
  headers: { 'service-token': token.trim(), 'content-type': 'application/json' },
  body: readFileSync(path('tables.json'), 'utf8'),
});
if (!response.ok) throw new Error((await response.json()).description);
console.log('The demo has the tables of the app. Sign in as alice, bob or carol, with any password.');

/** Ends the program if the demo does not answer. */
function tokenOf(name) {
  try {
    const options = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] };
    return execFileSync(process.execPath, [rowhouse, 'demo', 'token', name, '--url', url], options);
  } catch {
    console.error('The example needs the demo: run "npm start" in the project folder, in a terminal of its own.');
    process.exit(1);
  }
}
