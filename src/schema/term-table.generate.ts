/**
 * Writes `term-table.ts` from the Unicode data of the Node that runs it: `node src/schema/term-table.generate.ts`, then
 * format the result. The table is committed, so that the terms of a text do not depend on the version of Node, because
 * terms are stored. After running it again, all full text must be declared again.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const codePointMax = 0x10_ffff;
/** Characters of words. */
const isOfWord = /[\p{Letter}\p{Number}\p{Mark}]/u;
/** Scripts that write words without spaces between them, or with endings attached. */
const isOfBigrams = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Bopomofo}\p{scx=Hangul}]/u;
/** Marks that occur between the letters of any script. */
const isOfAnyScript = /[\p{sc=Inherited}\p{Default_Ignorable_Code_Point}]/u;

type Kind = 'word' | 'bigrams' | null;

function kindOf(character: string): Kind {
  if (!character.isWellFormed() || !isOfWord.test(character)) return null;
  return isOfBigrams.test(character) && !isOfAnyScript.test(character) ? 'bigrams' : 'word';
}

/** Runs of code points: [first, count, …]. */
function runs(kind: Kind): number[] {
  const found: number[] = [];
  let first = -1;
  for (let codePoint = 0; codePoint <= codePointMax + 1; codePoint++) {
    const is = codePoint <= codePointMax && kindOf(String.fromCodePoint(codePoint)) === kind;
    if (is && first < 0) first = codePoint;
    if (is || first < 0) continue;
    found.push(first, codePoint - first);
    first = -1;
  }
  return found;
}

const source = `/**
 * What the terms of full text are made of, by \`term-table.generate.ts\` from Unicode ${process.versions.unicode}. Two numbers for each run of code
 * points: the first one, and how many.
 */

export const wordRuns: readonly number[] = [${runs('word').join(', ')}];

export const bigramRuns: readonly number[] = [${runs('bigrams').join(', ')}];
`;
writeFileSync(join(import.meta.dirname, 'term-table.ts'), source);
