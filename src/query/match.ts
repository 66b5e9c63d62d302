/** The words of MATCH (docs/reference/full-text.md#searching): which terms a record's text must have, all of them. */
import { type QueryTerm, queryTerms, queryTermsMax } from '../schema/terms.ts';

/** The terms of words, or a full sentence that says why they are refused. @param lengthMax in characters (setting likePatternMax) */
export function readWords(words: string, lengthMax: number): readonly QueryTerm[] | string {
  const length = words.length <= lengthMax ? words.length : [...words].length;
  if (length > lengthMax) {
    return `the words of MATCH have ${length} characters; at most ${lengthMax} (likePatternMax) are allowed.`;
  }
  const terms = queryTerms(words);
  if (terms.length <= queryTermsMax) return terms;
  return `the words of MATCH have ${terms.length} terms; at most ${queryTermsMax} are allowed.`;
}
