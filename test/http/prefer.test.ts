/** How `Prefer` is read (RFC 7240): the header's grammar, and what is ignored. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { preferredHandling } from '../../src/http/prefer.ts';

test('the preference is found among others, in every notation', () => {
  for (const header of [
    'handling=strict',
    'HANDLING=Strict',
    'handling="strict"',
    'handling = strict',
    'handling\t=\t"str\\ict"',
    'handling=strict; reason=typo',
    'respond-async, wait=10 , handling=strict',
    'return=minimal; foo="some, handling=lenient", handling=strict',
    ', ,handling=strict,',
    'foo; bar; baz = 1 ;; qux, handling=strict',
    'handling=strict, handling=lenient',
    'foo="a \\" b", handling=strict',
    "!#$%&'*+-.^_`|~=1, handling=strict",
  ]) {
    assert.equal(preferredHandling(header), 'strict', header);
  }
  assert.equal(preferredHandling('handling=lenient; x, handling=strict'), 'lenient');
});

test('other preferences are ignored', () => {
  for (const header of [
    '',
    ' ',
    'handling',
    'handling=',
    'handling=""',
    'handling=harsh',
    'handling=harsh, handling=strict',
    'xhandling=strict',
    'foo=handling=strict',
    'foo; handling=strict',
    'foo "x" handling=strict',
    '"handling=strict"',
    'foo="never ended, handling=strict',
    '(), handling=strict',
  ]) {
    assert.equal(preferredHandling(header), undefined, header);
  }
});

test('no header causes a fault, and a long one is read in one pass', () => {
  const part = fc.constantFrom('handling', '=', 'strict', '"', '\\', ';', ',', ' ', '\t', 'é', '(', 'x');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
      const found = preferredHandling(parts.join(''));
      assert.ok(found === undefined || found === 'strict');
    }),
    { verbose: true },
  );
  for (const repeated of ['x,', ';', '"\\', 'a=" ', ' ', '=']) {
    assert.equal(preferredHandling(repeated.repeat(100_000)), undefined);
  }
  assert.equal(preferredHandling(`${'x;y="z",'.repeat(2_000)}handling=strict`), 'strict');
});
