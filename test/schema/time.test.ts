/** Times: accepted and refused texts; reading and writing agree with each other and with the platform. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatInstant, instantMax, instantMin, parseInstant, zoneOf } from '../../src/schema/time.ts';

const utc = zoneOf('UTC');
const bangkok = zoneOf('+07:00');

const zoneNames = [
  'UTC',
  '+07:00',
  '-03:30',
  '+05:45',
  'Asia/Bangkok',
  'Europe/Berlin',
  'America/St_Johns',
  'Asia/Kolkata',
  'Pacific/Apia',
  'Australia/Lord_Howe',
  'Africa/Monrovia',
];
const zones = zoneNames.map(zoneOf);

/** Mostly present-day instants, when clocks change most, and some from all times. */
const instants = fc.oneof(
  fc.integer({ min: -2_208_988_800_000, max: 4_102_444_800_000 }),
  fc.integer({ min: instantMin, max: instantMax }),
  fc.constantFrom(instantMin, instantMax, 0, -1, -62_135_510_400_000),
);

test('an instant is written with milliseconds and a numeric offset', () => {
  const cases: [number, string, string][] = [
    [1_390_463_076_516, '+07:00', '2014-01-23T14:44:36.516+07:00'],
    [1_390_463_076_516, 'UTC', '2014-01-23T07:44:36.516+00:00'],
    [0, 'UTC', '1970-01-01T00:00:00.000+00:00'],
    [-1, 'UTC', '1969-12-31T23:59:59.999+00:00'],
    [0, '+05:30', '1970-01-01T05:30:00.000+05:30'],
    [0, '-03:30', '1969-12-31T20:30:00.000-03:30'],
    [1_404_000_000_000, 'Europe/Berlin', '2014-06-29T02:00:00.000+02:00'],
    [1_390_463_076_516, 'Europe/Berlin', '2014-01-23T08:44:36.516+01:00'],
    [-60_000_000_000_000, 'UTC', '0068-09-03T13:20:00.000+00:00'],
    [instantMin, 'UTC', '0001-01-01T00:00:00.000+00:00'],
    [instantMax, 'UTC', '9999-12-31T23:59:59.999+00:00'],
  ];
  for (const [instant, zone, text] of cases) assert.equal(formatInstant(instant, zoneOf(zone)), text);
});

test('an instant that the zone shows in year 0 or 10000 is written in UTC', () => {
  assert.equal(formatInstant(instantMax, bangkok), '9999-12-31T23:59:59.999+00:00');
  assert.equal(formatInstant(instantMin, zoneOf('-03:30')), '0001-01-01T00:00:00.000+00:00');
});

test('an offset with seconds is truncated to minutes, and the instant stays exact', () => {
  const text = formatInstant(-3_000_000_000_000, zoneOf('Europe/Berlin'));
  assert.equal(text, '1874-12-07T19:33:00.000+00:53');
  assert.equal(parseInstant(text, utc), -3_000_000_000_000);
});

test('the platform writes the same date and time in UTC', () => {
  fc.assert(
    fc.property(instants, (instant) => {
      const expected = new Date(instant).toISOString().replace('Z', '+00:00');
      assert.equal(formatInstant(instant, utc), expected);
    }),
  );
});

test('every zone with an offset of whole minutes shows the clock time that the platform shows', () => {
  fc.assert(
    fc.property(instants, (instant) => {
      for (const zone of zones) {
        const time = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone.name);
        if (time.offsetNanoseconds % 60e9 !== 0 || time.year < 1 || time.year > 9999) continue;
        const expected = time.toString({ smallestUnit: 'millisecond', timeZoneName: 'never' });
        assert.equal(formatInstant(instant, zone), expected, zone.name);
      }
    }),
    { numRuns: 500 },
  );
});

test('a written time is read back as the same instant, whatever the zone of the reader', () => {
  fc.assert(
    fc.property(instants, fc.constantFrom(...zones), fc.constantFrom(...zones), (instant, writer, reader) => {
      assert.equal(parseInstant(formatInstant(instant, writer), reader), instant);
    }),
    { numRuns: 1_000 },
  );
});

test('times are read generously', () => {
  const expected = Date.UTC(2014, 0, 23, 7, 44, 36, 516);
  const forms = [
    '2014-01-23T14:44:36.516+07:00',
    '2014-01-23 14:44:36.516+07:00',
    '2014-01-23t14:44:36.516+07:00',
    '2014-01-23T14:44:36.516+0700',
    '2014-01-23T14:44:36.516+07',
    '2014-01-23 14:44:36.516 +07:00',
    '2014-01-23T14:44:36,516+07:00',
    '2014-01-23T14:44:36.516000+07:00',
    '2014-01-23T07:44:36.516Z',
    '2014-01-23T07:44:36.516z',
    '2014-01-23T07:44:36.516-00:00',
    '2014-01-23T03:14:36.516-04:30',
    '2014-01-23T14:44:36.516',
    '2014-01-23 14:44:36.516',
  ];
  for (const form of forms) assert.equal(parseInstant(form, bangkok), expected, form);
  assert.equal(parseInstant('2014-01-23T07:44:36.5Z', utc), Date.UTC(2014, 0, 23, 7, 44, 36, 500));
  assert.equal(parseInstant('2014-01-23T07:44:36.05Z', utc), Date.UTC(2014, 0, 23, 7, 44, 36, 50));
  assert.equal(parseInstant('2014-01-23T07:44:36Z', utc), Date.UTC(2014, 0, 23, 7, 44, 36));
  assert.equal(parseInstant('2014-01-23T07:44+00:00', utc), Date.UTC(2014, 0, 23, 7, 44));
  assert.equal(parseInstant('2014-01-23', utc), Date.UTC(2014, 0, 23));
  assert.equal(parseInstant('2014-01-23', bangkok), Date.UTC(2014, 0, 22, 17));
  assert.equal(parseInstant('0001-01-01T00:00:00Z', utc), instantMin);
  assert.equal(parseInstant('9999-12-31T23:59:59.999Z', utc), instantMax);
  assert.equal(Object.is(parseInstant('1970-01-01T00:00:00.000-00:00', utc), 0), true);
});

test('texts that are not times, or would be truncated, are refused', () => {
  const forms = [
    '',
    'now',
    '2014',
    '2014-01',
    '20140123',
    '2014-1-23',
    '2014-01-23T',
    '2014-01-23T14',
    '2014-01-23T14:44:',
    '2014-01-23T14:4',
    '2014-01-23T14:44:36.',
    '2014-01-23T14:44:36.+07:00',
    '2014-01-23T14:44:36.5161+07:00',
    '2014-01-23T14:44:36.516+07:00 ',
    ' 2014-01-23T14:44:36.516+07:00',
    '2014-01-23T14:44:36.516+07:0',
    '2014-01-23T14:44:36.516+07:60',
    '2014-01-23T14:44:36.516+18:01',
    '2014-01-23T14:44:36.516+99:00',
    '2014-01-23T14:44:36.516Zulu',
    '2014-01-23T14:44:36.516 ',
    '2014-01-23+07:00x',
    '2014-00-23',
    '2014-13-23',
    '2014-01-00',
    '2014-01-32',
    '2021-02-30',
    '2023-02-29',
    '1900-02-29',
    '2014-04-31',
    '2014-01-23T24:00:00',
    '2014-01-23T23:60:00',
    '2014-01-23T23:59:60',
    '0000-01-01',
    '0001-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59.999-00:01',
    '10000-01-01',
    '-0001-01-01',
    '+002014-01-23',
    '２０１４-01-23',
  ];
  for (const form of forms) assert.equal(parseInstant(form, utc), null, form);
  for (const leap of ['2000-02-29', '2024-02-29']) assert.notEqual(parseInstant(leap, utc), null);
});

test('every day of the calendar is read as the platform reads it, and no other', () => {
  for (let year = 1; year <= 9999; year += year % 4 === 0 ? 1 : 13) {
    for (let month = 1; month <= 12; month++) {
      for (const day of [1, 28, 29, 30, 31]) {
        const pad = (number: number, length: number) => String(number).padStart(length, '0');
        const text = `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
        const date = new Date(`${text}T00:00:00.000Z`);
        const exists = !Number.isNaN(date.getTime()) && date.getUTCDate() === day;
        assert.equal(parseInstant(text, utc), exists ? date.getTime() : null, text);
      }
    }
  }
});

test('a time without an offset is in the zone; skipped and repeated times are read as in the standard', () => {
  const berlin = zoneOf('Europe/Berlin');
  assert.equal(parseInstant('2014-03-30T02:30:00', berlin), Date.UTC(2014, 2, 30, 1, 30), 'left out: offset before');
  assert.equal(parseInstant('2014-10-26T02:30:00', berlin), Date.UTC(2014, 9, 26, 0, 30), 'twice: the earlier one');
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4_102_444_800_000 }), fc.constantFrom(...zoneNames), (instant, name) => {
      const local = new Date(instant).toISOString().slice(0, -1);
      const expected = Temporal.PlainDateTime.from(local).toZonedDateTime(name).epochMilliseconds;
      assert.equal(parseInstant(local, zoneOf(name)), expected, `${local} ${name}`);
    }),
  );
});

test('around every change of the clocks, local times are read as the platform reads them', () => {
  for (const name of [
    'Europe/Berlin',
    'America/St_Johns',
    'Australia/Lord_Howe',
    'Pacific/Apia',
    'Africa/Casablanca',
  ]) {
    const zone = zoneOf(name);
    let change = Temporal.Instant.from('1975-01-01T00:00Z').toZonedDateTimeISO(name).getTimeZoneTransition('next');
    for (let count = 0; change !== null && count < 120; count++, change = change.getTimeZoneTransition('next')) {
      for (const minutes of [-90, -31, -1, 0, 1, 29, 61, 150]) {
        const local: string = change.toPlainDateTime().add({ minutes }).toString({ smallestUnit: 'millisecond' });
        const expected: number = Temporal.PlainDateTime.from(local).toZonedDateTime(name).epochMilliseconds;
        assert.equal(parseInstant(local, zone), expected, `${local} ${name}`);
      }
    }
  }
});

test('the instant of a change belongs to the time after it, whatever the order of conversions', () => {
  const change = Date.UTC(2014, 2, 30, 1);
  for (const instants of [
    [change, change - 1],
    [change - 1, change],
  ]) {
    const berlin = zoneOf('Europe/Berlin');
    const shown = new Map(instants.map((instant) => [instant, formatInstant(instant, berlin)]));
    assert.equal(shown.get(change), '2014-03-30T03:00:00.000+02:00');
    assert.equal(shown.get(change - 1), '2014-03-30T01:59:59.999+01:00');
  }
});

test('a zone is UTC, an offset or an IANA name', () => {
  for (const name of ['UTC', 'Z', '+07:00', '-0330', '+07', 'Asia/Bangkok', 'America/Argentina/Ushuaia', 'Etc/GMT+5']) {
    assert.doesNotThrow(() => zoneOf(name), name);
  }
  for (const name of ['', 'Mars/Olympus', '+25:00', '7', '+7', '2014-01-01T00:00+07:00', 'UTC[u-ca=thai]']) {
    assert.throws(() => zoneOf(name), RangeError, name);
  }
});
