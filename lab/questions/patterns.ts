/** Random patterns of LIKE, most of them close to a text that records have. */
import type { Random } from '../machine/random.ts';
import { among, fittingValue, textOf, type ValueType } from './values.ts';

const patterns = [
  '',
  ...among(
    '% _ a% %a% %B A_ %a_ * [a] %? __ !% %!_% a!% !! %😀 ä% %\\% \\% a\\_b %ß% ! _%_ %% %\u{10ffff}_',
    '[^a]% ^a$ .* (a|b)',
  ),
];

/** @param escapedBy the escape character, if there is one */
export function patternOf(type: ValueType, escapedBy: string | null, random: Random): string {
  return random.weighted(
    [7, () => like(String(fittingValue({ ...type, kind: 'text' }, random)), escapedBy, random)],
    [2, () => random.pick(patterns)],
    [1, () => `${random.pick(['', '%', '_'])}${textOf(random, 4)}${random.pick(['', '%', '_'])}`],
  );
}

/** A pattern that the text matches, or would match if one rule of LIKE were different. */
function like(text: string, escapedBy: string | null, random: Random): string {
  const characters = [...text].slice(0, 12);
  const at = random.below(characters.length);
  return random
    .weighted(
      [2, () => characters],
      [4, () => characters.map(swapped)],
      [2, () => characters.toSpliced(at, 1, '_')],
      [1, () => [...characters.slice(0, at), '%']],
      [1, () => ['%', ...characters.slice(at)]],
      [escapedBy === null ? 0 : 4, () => characters.toSpliced(at, 0, escapedBy ?? '')],
      [escapedBy === null ? 0 : 4, () => characters.flatMap((character) => [escapedBy ?? '', character])],
    )
    .join('');
}

/** The same letter in the other case, or a character that is easily mistaken for it. */
function swapped(character: string): string {
  if (character === '\uffff') return '\ufffd';
  const upper = character.toUpperCase();
  return upper === character ? character.toLowerCase() : upper;
}
