/**
 * LIKE patterns (docs/reference/expression-language.md#like): `%` matches any text, `_` any one character, and the
 * character after the escape character matches itself. The one invalid pattern ends with its escape character.
 */

/** One element of a pattern: a wildcard, or a literal character. */
export type PatternPart = { readonly wildcard: '%' | '_' } | { readonly literal: string };

/** The parts of a pattern, one per character; null when it ends with its escape character. */
export function patternParts(pattern: string, escapedBy: string | null): PatternPart[] | null {
  const parts: PatternPart[] = [];
  let escaped = false;
  for (const character of pattern) {
    if (escaped) {
      parts.push({ literal: character });
      escaped = false;
    } else if (character === escapedBy) {
      escaped = true;
    } else {
      parts.push(character === '%' || character === '_' ? { wildcard: character } : { literal: character });
    }
  }
  return escaped ? null : parts;
}

/**
 * Why a pattern is refused, as a full sentence; null when it is valid.
 * @param likePatternMax limit in characters
 */
export function patternFlaw(pattern: string, escapedBy: string | null, likePatternMax: number): string | null {
  if (patternParts(pattern, escapedBy) === null)
    return `the LIKE pattern ends with its escape character ${JSON.stringify(escapedBy)}.`;
  const length = [...pattern].length;
  if (length <= likePatternMax) return null;
  return `the LIKE pattern has ${length} characters; at most ${likePatternMax} (likePatternMax) are allowed.`;
}
