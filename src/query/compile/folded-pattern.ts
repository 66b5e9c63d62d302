/** LIKE without regard to case: a pattern for the lower case of a text. */
import { foldLower } from '../../schema/fold.ts';
import type { PatternPart } from '../like.ts';

const ownEscape = '\\';

/**
 * The pattern that matches the lower case of a text exactly when the given one matches the text without regard to case.
 * It uses its own escape character, since folding could change the given one if that is a letter.
 */
export function foldedPattern(parts: readonly PatternPart[]): { pattern: string; escape: string } {
  let pattern = '';
  for (const part of parts) {
    if ('wildcard' in part) pattern += part.wildcard;
    else if (part.literal === '%' || part.literal === '_' || part.literal === ownEscape) {
      pattern += ownEscape + part.literal;
    } else pattern += foldLower(part.literal);
  }
  return { pattern, escape: ownEscape };
}
