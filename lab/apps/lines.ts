/**
 * Counts the lines of an app for data, sync and sign-in: `node bin/node.js lab/apps/lines.ts [folder]`. In files with
 * nothing else, each line counts; in others, each line that names something from these files or from the client. Blank
 * lines and comments never count.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files that contain only data, sync and sign-in. */
const whole = ['src/data.ts', 'public/service-worker.js', 'set-up.js'];
/** Made by a command. */
const made = ['src/rowhouse.ts'];

/** Lines by file. */
export function linesOfData(folder: string): Map<string, number> {
  const files = globSync(['*.js', 'public/*.js', 'src/**/*.{ts,tsx}'], { cwd: folder }).filter(
    (file) => !made.includes(file),
  );
  const counts = files.sort().map((file) => [file, countOf(file, readFileSync(join(folder, file), 'utf8'))] as const);
  return new Map(counts.filter(([, count]) => count > 0));
}

function countOf(file: string, text: string): number {
  const lines = text
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.trim().startsWith('//'));
  if (whole.includes(file)) return lines.length;
  const names = [...text.matchAll(/^import (?:type )?\{([^}]*)\} from '(?:.*\/data\.ts|@rowhouse\/.*)'/gm)].flatMap(
    ([, list = '']) => list.split(',').map((name) => name.replace('type ', '').trim()),
  );
  const used = new RegExp(
    `\\b(?:${[...names, 'serviceWorker', 'caches?'].filter((name) => name !== '').join('|')})\\b`,
  );
  return lines.filter((line) => used.test(line)).length;
}

if (import.meta.main) {
  const folder = process.argv[2] ?? join(import.meta.dirname, '../../examples/field-notes');
  const counted = linesOfData(folder);
  for (const [file, count] of counted) console.log(`${String(count).padStart(5)} ${file}`);
  console.log(`${String([...counted.values()].reduce((sum, count) => sum + count, 0)).padStart(5)} in all`);
}
