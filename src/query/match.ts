/** The words of MATCH (docs/reference/full-text.md#searching): the terms that a record's text must all have. */
import { type QueryTerm, queryTerms, queryTermsMax } from '../schema/terms.ts';

/**
 * The terms of the words, or a full sentence on why they are refused.
 * @param lengthMax in characters (setting likePatternMax)
 */
export function readWords(words: string, lengthMax: number): readonly QueryTerm[] | string {
  const length = words.length <= lengthMax ? words.length : [...words].length;
  if (length > lengthMax) {
    return `the words of MATCH have ${length} characters; at most ${lengthMax} (likePatternMax) are allowed.`;
  }
  const terms = queryTerms(words);
  if (terms.length <= queryTermsMax) return terms;
  return `the words of MATCH have ${terms.length} terms; at most ${queryTermsMax} are allowed.`;
}
