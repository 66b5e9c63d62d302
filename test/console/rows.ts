/** Rows of the test tables for a browser: `npm test` takes some, `npm run test:console` all of them. */

/** Set by `all.ts`. */
export const areAllAsked = process.env.ROWHOUSE_TEST_CONSOLE === 'all';

/** Every row, or in `npm test` one of every `oneOf`. */
export function rows<Row>(all: readonly Row[], oneOf: number): readonly Row[] {
  return areAllAsked ? all : all.filter((_, index) => index % oneOf === 0);
}
