/**
 * Writes `fold-table.ts` from the Unicode data of the Node that runs it: `node src/schema/fold-table.generate.ts`, then
 * format the result. The table is committed, so that folding does not depend on the version of Node: stored texts and
 * indexes rely on it, on both engines. After running it again, all indexes must be rebuilt.
 *
 * The rules, each one code point to one:
 * - *upper* is Unicode's simple upper case. Where the full one is longer (ß → SS), it is the title-case letter that
 *   lowers to the code point (ᾳ → ᾼ), or there is none (ß stays ß).
 * - *lower* is the same for all code points that are equal under simple case folding (CaseFolding.txt, C and S), as a
 *   regular expression with the flags `iu` compares them: it is the member of such a class that is the lower case of its
 *   own upper case, or the first of several. So ς and Σ become σ, ſ becomes s, the Kelvin sign k, ẞ ß.
 * - İ, whose full lower case is longer, becomes i, its simple one; ı stays.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const codePointMax = 0x10_ffff;
const isCased = /[\p{Changes_When_Casemapped}\p{Changes_When_Casefolded}]/u;
const isTitleCase = /\p{Titlecase_Letter}/u;

const cased: string[] = [];
for (let codePoint = 0; codePoint <= codePointMax; codePoint++) {
  const character = String.fromCodePoint(codePoint);
  if (character.isWellFormed() && isCased.test(character)) cased.push(character);
}
const allCased = cased.join('');
const titleOf = new Map(cased.filter((c) => isTitleCase.test(c)).map((c) => [c.toLowerCase(), c]));

function simpleLower(character: string): string {
  const lower = character.toLowerCase();
  if (character === 'İ') return 'i';
  return [...lower].length === 1 ? lower : character;
}

function simpleUpper(character: string): string {
  const upper = character.toUpperCase();
  return [...upper].length === 1 ? upper : (titleOf.get(character) ?? character);
}

function lowerOfClass(character: string): string {
  if (character === 'İ') return 'i';
  const members = allCased.match(new RegExp(`\\u{${character.codePointAt(0)!.toString(16)}}`, 'giu')) ?? [character];
  return members.find((member) => simpleLower(simpleUpper(simpleLower(member))) === member) ?? simpleLower(character);
}

/** Runs of equally spaced code points that are all mapped by the same offset: [first, count, step, distance]. */
function runs(map: (character: string) => string): number[][] {
  const found: number[][] = [];
  for (const character of cased) {
    const from = character.codePointAt(0)!;
    const distance = map(character).codePointAt(0)! - from;
    if (distance === 0) continue;
    const run = found.at(-1);
    if (run !== undefined && run[3] === distance) {
      const [first, count, step] = run as [number, number, number];
      const gap = from - (first + (count - 1) * step);
      if (count === 1 ? gap <= 2 : gap === step) {
        run[1] = count + 1;
        run[2] = gap;
        continue;
      }
    }
    found.push([from, 1, 1, distance]);
  }
  return found;
}

const source = `/**
 * The simple folds, one code point to one, made by \`fold-table.generate.ts\` from Unicode ${process.versions.unicode}. Four numbers each: first
 * code point, how many, how far apart, and what is added to each.
 */

export const lowerRuns: readonly number[] = [${runs(lowerOfClass).flat().join(', ')}];

export const upperRuns: readonly number[] = [${runs(simpleUpper).flat().join(', ')}];
`;
writeFileSync(join(import.meta.dirname, 'fold-table.ts'), source);
