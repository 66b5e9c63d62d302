/**
 * Short texts in English and Japanese, with words distributed as unevenly as in a natural language, and searches in
 * them.
 */
import type { Random } from '../machine/random.ts';

const englishWords = 60_000;
const japaneseWords = 20_000;

const syllables = 'ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu'.split(' ');
const particles = ['の', 'は', 'を', 'に', 'で', 'と'];
/** The first of the ideographs in common use. */
const firstIdeograph = 0x4e00;
const ideographs = 2_000;

/** Rare words are longer. */
function english(rank: number): string {
  let text = '';
  for (let rest = rank + 20; rest > 0; rest = Math.floor(rest / 20)) text += syllables[rest % 20];
  return text;
}

function japanese(rank: number): string {
  const at = (number: number) => String.fromCodePoint(firstIdeograph + (number % ideographs));
  return at(rank * 7_919) + at(rank * 104_729 + Math.floor(rank / ideographs));
}

export interface Texts {
  text(number: number): string;
  /** Words to search for, by kind. */
  readonly kinds: readonly (readonly [string, () => string])[];
}

/** The n-th most frequent word occurs in proportion to 1/n. */
export function textsOf(random: Random): Texts {
  const rank = (count: number) => Math.floor(count ** random.fraction()) - 1;
  const rare = (count: number) => Math.floor(count ** (0.5 + random.fraction() / 4)) - 1;
  const common = () => random.below(10);
  const many = (count: number, word: () => string) => Array.from({ length: count }, word);
  return {
    text: (number) =>
      number % 2 === 0
        ? many(8, () => english(rank(englishWords))).join(' ')
        : many(6, () => japanese(rank(japaneseWords)) + random.pick(particles)).join(''),
    kinds: [
      ['an English word', () => english(rare(englishWords))],
      ['the beginning of one', () => `${english(rare(englishWords)).slice(0, 7)}*`],
      ['a common and another English word', () => `${english(common())} ${english(rare(englishWords))}`],
      ['two characters of Japanese', () => japanese(rare(japaneseWords))],
      ['a common and another Japanese word', () => `${japanese(common())} ${japanese(rare(japaneseWords))}`],
      ['four characters of Japanese', () => japanese(rare(japaneseWords)) + particles[0] + japanese(common())[0]],
    ],
  };
}
