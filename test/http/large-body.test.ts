/** Large bodies: checked by their bytes, parsed in portions to the same value as with `JSON.parse`, and weighed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { defaults } from '../../src/config.ts';
import { parseBody, scanOf } from '../../src/http/body.ts';
import { parseLargeBody } from '../../src/http/large-body.ts';

const kib = 1024;

async function parse(
  text: string,
  bounds = defaults,
): Promise<{ readonly value: unknown; readonly weightBytes: number }> {
  let weightBytes = Number.NaN;
  const value = await parseLargeBody(Buffer.from(text), bounds, (bytes) => {
    weightBytes = bytes;
  });
  return { value, weightBytes };
}

const refused = (text: string, message: RegExp, bounds = defaults) =>
  assert.rejects(parse(text, bounds), (error: Error) => message.test(error.message) && error.message.length < 400);

/** Long enough that their arrays are parsed in portions. */
const padding = 'x"]}[{\\,:'.repeat(300);
const item = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.record({ objectId: fc.string(), pad: fc.constant(padding), more: fc.jsonValue({ maxDepth: 2 }) }),
  fc.constant(padding),
);
const name = fc.constantFrom('data', 'objectIds', 'da\u0074a', '__proto__', '', 'ä"\\');
const body = fc.array(fc.tuple(name, fc.oneof(fc.array(item, { minLength: 20, maxLength: 90 }), fc.jsonValue())), {
  maxLength: 4,
});
/** JSON with repeated names, which an object cannot have. */
const textOf = (members: readonly (readonly [string, unknown])[], space: string) =>
  `{${members.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value, null, space)}`).join(`,${space}`)}}`;

function settled(work: () => unknown): unknown {
  try {
    return { value: work() };
  } catch {
    return 'refused';
  }
}

test('parsing in portions gives and refuses the same as JSON.parse', async () => {
  await fc.assert(
    fc.asyncProperty(
      body,
      fc.constantFrom('', ' ', '\n'),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.nat(5),
      async (members, space, where, what) => {
        const whole = textOf(members, space);
        const at = Math.floor(where * whole.length);
        const broken = [
          whole,
          whole.slice(0, at),
          `${whole.slice(0, at)},${whole.slice(at)}`,
          `${whole.slice(0, at)}${whole.slice(at + 1)}`,
          `${whole.slice(0, at)}]${whole.slice(at)}`,
          `${whole.slice(0, at)}"${whole.slice(at)}`,
        ];
        const text = broken[what] as string;
        const expected = settled(() => parseBody(Buffer.from(text), defaults));
        const came = await parse(text).then(
          ({ value }) => ({ value }),
          () => 'refused',
        );
        assert.deepEqual(came, expected);
      },
    ),
    { numRuns: 150 },
  );
});

test('an item missing after the last comma of a portion is detected', async () => {
  const long = Array.from({ length: 4 }, () => `"${'x'.repeat(70 * kib)}"`).join(',');
  assert.equal(((await parse(`{"data":[${long}]}`)).value as { data: unknown[] }).data.length, 4);
  await refused(`{"data":[${long}, ]}`, /^data\[4\]: not JSON/);
  await refused(`{"data":[${long},,1]}`, /^data, from item 4: not JSON/);
});

test('nesting, numbers of values and lost digits are reported with their position, before anything is parsed', async () => {
  await refused('['.repeat(200 * kib), /^\[0\]\[0\].*: nested too deeply \(setting depthMax\)\.$/);
  await refused(`{"data":[{},{"a":${'{"b":'.repeat(100 * kib)}`, /^data\[1\]\.a\.b.*: nested too deeply/);
  const bounds = { ...defaults, itemValuesMax: 1_000, bodyValuesMax: 5_000 };
  const list = (count: number, text = '0') => Array.from({ length: count }, () => text).join(',');
  await refused(
    `{"data":[1,{"a":[${list(1_000)}]}]}`,
    /^data\[1\]: expected at most 1000 values .*itemValuesMax/,
    bounds,
  );
  const members = (count: number) => Array.from({ length: count }, (_, index) => `"name${index}":{"a":1}`).join(',');
  const many = { ...defaults, itemMembersMax: 1_000 };
  const ofMany = (count: number) => `{"data":[{},{${members(1_000)}},{${members(count)}}]}`;
  await refused(ofMany(1_001), /^data\[2\]: expected at most 1000 members .*itemMembersMax/, many);
  assert.equal(((await parse(ofMany(1_000), many)).value as { data: unknown[] }).data.length, 3);
  const inside = (
    (await parse(`{"data":[{"extra":{${members(2_000)}}}]}`, many)).value as { data: [{ extra: object }] }
  ).data;
  assert.equal(Object.keys(inside[0].extra).length, 2_000);
  await refused(`{"other":{"a":[${list(1_000)}]}}`, /^body: expected at most 1000 values .*itemValuesMax/, bounds);
  await refused(`{"data":[${list(1_002)}]}`, /^data: expected at most 1000 items .*itemValuesMax/, bounds);
  await refused(
    `{"data":[${list(900, '[1,2,3,4,5,6]')}]}`,
    /^body: expected at most 5000 values .*bodyValuesMax/,
    bounds,
  );
  assert.equal(((await parse(`{"data":[${list(998)}]}`, bounds)).value as { data: unknown[] }).data.length, 998);
  const pad = `{"t":"${padding.replaceAll(/["\\]/g, '')}"},`.repeat(100);
  await refused(`{"data":[${pad}{"n":{"m":[0,12345678901234567890]}}]}`, /^data\[100\]\.n\.m\[1\]: the number 1234567/);
  await refused(`{"data":[${pad}{"n":"\\u0000"}]}`, /^data\[100\]\.n: expected text without NUL/);
  await refused(`{"data":[${pad}{"\\ud800":1}]}`, /^data\[100\]: expected text without NUL/);
  await refused(
    `{"a":${'1'.repeat(2 * 1024 * kib)}}`,
    /^a: expected a number of at most 1048576 bytes \(setting valueBytesMax\)/,
  );
});

test('other work runs while a large body is parsed', async () => {
  const record = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`column${index}`, `value ${index}`]));
  const text = JSON.stringify({ data: Array.from({ length: 1_000 }, () => record) });
  let turns = 0;
  let isParsed = false;
  const count = () => {
    turns++;
    if (!isParsed) setImmediate(count);
  };
  setImmediate(count);
  // Two at once take their portions in turn.
  await Promise.all([parse(text), parse(text)]);
  isParsed = true;
  assert.ok(turns > 4, `${turns} turns of the event loop`);
});

test('a value takes no more memory than its weight', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const many = (text: (index: number) => string) =>
    `{"data":[${Array.from({ length: 19_000 }, (_, index) => text(index)).join(',')}]}`;
  const shapes = {
    objects: many(() => '{}'),
    arrays: many(() => '[]'),
    nested: many(() => '[[1],[2]]'),
    texts: many((index) => `"text ${index}"`),
    doubles: many((index) => `[${index}.5,"x"]`),
    'wide texts': many((index) => `"${'Ж'.repeat(20)}${index}"`),
    'names of their own': many((index) => `{"name${index}":1}`),
    'many names of their own': many((index) => `{"a${index}":1,"b${index}":1,"c${index}":1,"d${index}":1}`),
  };
  for (const [shape, text] of Object.entries(shapes)) {
    collect();
    const before = getHeapStatistics().used_heap_size;
    const parsed = await parse(text);
    collect();
    const took = getHeapStatistics().used_heap_size - before;
    assert.ok(took <= parsed.weightBytes * 1.25, `${shape}: ${took} bytes, weighed as ${parsed.weightBytes}`);
    assert.ok(parsed.value !== null);
  }
});

test('a body refused for its weight is not parsed', async () => {
  const text = `{"data":[${'[],'.repeat(10_000)}]`;
  await assert.rejects(
    parseLargeBody(Buffer.from(text), defaults, () => {
      throw new Error('too heavy');
    }),
    /^Error: too heavy$/,
  );
});

test('a scan exceeds its given number of bytes only slightly, even within a text', () => {
  const long = (text: string) => Buffer.from(`{"data":[{"note":"${text.repeat(4_000_000 / text.length)}"}]}`);
  for (const text of ['x', '\\\\', '\\"', '\\u0416']) {
    const bytes = long(text);
    const scan = scanOf(bytes, defaults);
    let calls = 1;
    while (!scan.advance(kib)) calls++;
    // The byte after a backslash is read with it.
    assert.ok(calls >= bytes.length / (kib + 1) - 1, `${calls} calls for ${bytes.length} bytes`);
    assert.equal(scan.isEscaped, text !== 'x');
  }
});

test('a scan may be interrupted anywhere', () => {
  const text = `{"data":[{"a":"\\"]","b":[1.5e3,true,null,{"c":[]}]},-1],"n":12}`;
  const whole = scanOf(Buffer.from(text), defaults);
  whole.advance(text.length);
  for (let step = 1; step < 20; step++) {
    const scan = scanOf(Buffer.from(text), defaults);
    while (!scan.advance(step));
    assert.equal(scan.weightBytes, whole.weightBytes);
  }
});
