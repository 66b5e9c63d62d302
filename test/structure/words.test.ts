/** The words replaced by docs/explanation/glossary.md must not return in names of src. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '../..');
const source = join(root, 'src');

/** Members of JSON that the command line prints: wire names stay. */
const wireNames = new Set(['cli/move.ts room', 'cli/check.ts place', 'storage/examine.ts place']);

const page = readFileSync(join(root, 'docs/explanation/glossary.md'), 'utf8').split('## Sentences')[0] as string;

/** Each name as words in lower case: `standBack` is "stand back". */
const replaced = [...page.matchAll(/^\|[^|]*\|[^|]*\|([^|]*)\|$/gm)]
  .flatMap(([, cell = '']) => [...cell.matchAll(/`(\w+)`/g)])
  .map(([, name = '']) => wordsOf(name));

function wordsOf(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
}

/** The code without comments, texts and regular expressions; text in `${…}` is code. */
function codeOf(text: string): string {
  const token =
    /\/\/.*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|(?<=(?:[(,=:[!&|?{};>]|return)\s*)\/(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\\n[])+\/|[`{}]/g;
  let code = '';
  let end = 0;
  // Open braces of code within each open template text.
  const open: number[] = [];
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    code += text.slice(end, found.index);
    end = token.lastIndex;
    if (found[0] === '{' && open.length > 0) open.push((open.pop() as number) + 1);
    let isBackInText = false;
    if (found[0] === '}' && open.length > 0) {
      const depth = open.pop() as number;
      isBackInText = depth === 0;
      if (!isBackInText) open.push(depth - 1);
    }
    if (found[0] !== '`' && !isBackInText) continue;
    const rest = /(?:\\[\s\S]|\$(?!\{)|[^`\\$])*(`|\$\{)/y;
    rest.lastIndex = end;
    const closing = rest.exec(text)?.[1];
    assert.ok(closing !== undefined, `a text without an end in ${text.slice(0, 100)}`);
    if (closing !== '`') open.push(0);
    end = rest.lastIndex;
    token.lastIndex = end;
  }
  return code + text.slice(end);
}

test('the table has words to check for', () => assert.ok(replaced.length > 20 && replaced.includes('stand back')));

test('names are found in code, not in texts', () => {
  const code = codeOf('const a = `in $' + '{b({ c: `x $' + "{d} y` })} out`; // e\nf('g', /h'`/, 1); const i = j;");
  assert.deepEqual(code.match(/\w+/g), ['const', 'a', 'b', 'c', 'd', 'f', '1', 'const', 'i', 'j']);
});

test('no name of src has a word that the glossary replaces', () => {
  const wrong = new Set<string>();
  for (const file of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue;
    for (const [name] of codeOf(readFileSync(join(source, file), 'utf8')).matchAll(/\b[A-Za-z]\w*\b/g)) {
      const words = ` ${wordsOf(name)} `;
      const isReplaced = replaced.some((word) => words.includes(` ${word} `) || words.includes(` ${word}s `));
      if (isReplaced && !wireNames.has(`${file} ${name}`)) wrong.add(`${file} ${name}`);
    }
  }
  assert.deepEqual([...wrong], []);
});
