/** `npm run client:size`: how many bytes of the client apps load, gzipped; fails if one exceeds its limit. */
import { readFlags } from '../machine/command.ts';
import { bundles, weighBundle } from './weigh-bundles.ts';

readFlags(
  'npm run client:size: how many bytes apps load of the client, minified and gzipped, and how many they may.',
  {},
);
for (const [name, { module, bytesMax }] of Object.entries(bundles)) {
  const bytes = await weighBundle(module);
  console.log(`${String(bytes).padStart(6)} of ${bytesMax} bytes: ${name}`);
  if (bytes > bytesMax) process.exitCode = 1;
}
