/**
 * Times on the wire (docs/reference/values.md#datetime): ISO 8601 with milliseconds and a numeric offset. Written in
 * one zone, read leniently.
 */

import { dayMs, hourMs, minuteMs } from '../setting.ts';

/** A time zone; made by `zoneOf`. */
export interface Zone {
  readonly name: string;
  /** How far the zone's clocks are ahead of UTC at the instant, milliseconds. */
  offsetAt(instantMs: number): number;
  /** The first instant after this one at which the offset changes, or null. */
  nextChange(instantMs: number): number | null;
}

/** From 0000-03-01, where counting in March years begins, to 1970-01-01. */
export const daysFromYear0 = 719_468;

/** The first and the last millisecond that a datetime may have: the years 0001 to 9999 in UTC. */
export const instantMin = -62_135_596_800_000;
export const instantMax = 253_402_300_799_999;

/**
 * The zone of a setting: `UTC`, an offset (`+07:00`) or an IANA name (`Asia/Bangkok`).
 * @throws RangeError when there is no such zone
 */
export function zoneOf(text: string): Zone {
  const nextChange = () => null;
  if (text === 'UTC' || text === 'Z') return { name: 'UTC', offsetAt: () => 0, nextChange };
  const offset = /^[+-]/.test(text) ? readOffset(text, 0) : null;
  if (offset !== null) return { name: text, offsetAt: () => offset, nextChange };
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(text)) throw unknownZone(text);
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(text);
  } catch {
    throw unknownZone(text);
  }
  return { name: text, offsetAt: offsetsOf(text), nextChange: (instantMs) => nextChangeOf(text, instantMs) };
}

function nextChangeOf(zone: string, instantMs: number): number | null {
  const time = Temporal.Instant.fromEpochMilliseconds(instantMs).toZonedDateTimeISO(zone);
  return time.getTimeZoneTransition('next')?.epochMilliseconds ?? null;
}

function unknownZone(text: string): RangeError {
  return new RangeError(
    `expected a time zone (UTC, an offset such as +07:00, or an IANA name), got ${JSON.stringify(text)}.`,
  );
}

/** A span of time in which a zone's offset does not change. */
interface Span {
  readonly from: number;
  readonly until: number;
  readonly offset: number;
}

/** Asking the platform takes microseconds, so each answer is cached: one per calendar month, in a bounded ring. */
function offsetsOf(zone: string): (instantMs: number) => number {
  const slots = 1_024;
  const kept: (Span | undefined)[] = new Array(slots).fill(undefined);
  return (instantMs) => {
    const slot = Math.floor(instantMs / (30 * dayMs)) & (slots - 1);
    let span = kept[slot];
    if (span === undefined || instantMs < span.from || instantMs >= span.until) {
      span = spanAt(zone, instantMs);
      kept[slot] = span;
    }
    return span.offset;
  };
}

function spanAt(zone: string, instantMs: number): Span {
  const time = Temporal.Instant.fromEpochMilliseconds(instantMs).toZonedDateTimeISO(zone);
  const next = time.getTimeZoneTransition('next');
  // 'previous' is strictly before, so a later moment finds a span that begins at exactly this instant.
  const from = time.add({ nanoseconds: 1 }).getTimeZoneTransition('previous');
  return {
    from: from?.epochMilliseconds ?? -Infinity,
    until: next?.epochMilliseconds ?? Infinity,
    offset: time.offsetNanoseconds / 1e6,
  };
}

/** SQL holds the changes of a zone's clocks up to here, and no change after it. 2100-01-01 UTC. */
const spansUntil = 4_102_444_800_000;

/**
 * Each span of time in which a zone's clocks differ from UTC by the same whole minutes, the first from the beginning of
 * time, up to 2100. They match the offsets of `formatInstant`.
 */
export function offsetSpans(zone: Zone): readonly { readonly fromMs: number; readonly offsetMs: number }[] {
  const spans = [{ fromMs: Number.NEGATIVE_INFINITY, offsetMs: writtenOffset(instantMin, zone) }];
  const add = (fromMs: number) => {
    const offsetMs = writtenOffset(fromMs, zone);
    if (offsetMs !== spans.at(-1)!.offsetMs) spans.push({ fromMs, offsetMs });
  };
  const first = zone.offsetAt(instantMin);
  if (first < 0) add(instantMin - Math.trunc(first / minuteMs) * minuteMs);
  for (let at = zone.nextChange(instantMin); at !== null && at < spansUntil; at = zone.nextChange(at)) add(at);
  const { offsetMs: last } = spans.at(-1)!;
  if (last > 0) spans.push({ fromMs: instantMax - last + 1, offsetMs: 0 });
  return spans;
}

/** Whole minutes; 0 for an instant that would fall outside the years 0001 to 9999. */
function writtenOffset(instantMs: number, zone: Zone): number {
  const offset = Math.trunc(zone.offsetAt(instantMs) / minuteMs) * minuteMs;
  return instantMs + offset < instantMin || instantMs + offset > instantMax ? 0 : offset;
}

const twoDigits = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'));
const threeDigits = Array.from({ length: 1_000 }, (_, number) => String(number).padStart(3, '0'));

/**
 * `2014-01-23T14:44:36.516+07:00`: the instant in the zone, exact. Before standard time, offsets have seconds; the
 * offset is then truncated to whole minutes, and the local time with it. An instant that falls outside the years 0001
 * to 9999 in the zone is written in UTC.
 * @param instantMs whole milliseconds, from `instantMin` to `instantMax`
 */
export function formatInstant(instantMs: number, zone: Zone): string {
  const offset = writtenOffset(instantMs, zone);
  const local = instantMs + offset;
  const day = Math.floor(local / dayMs);
  const time = local - day * dayMs;
  const hour = twoDigits[Math.floor(time / hourMs)];
  const minute = twoDigits[Math.floor(time / minuteMs) % 60];
  const second = twoDigits[Math.floor(time / 1_000) % 60];
  return `${dateText(day)}T${hour}:${minute}:${second}.${threeDigits[time % 1_000]}${offsetText(offset)}`;
}

let lastDay = Number.NaN;
let lastDateText = '';

/**
 * `2014-01-23` for a day counted from 1970-01-01. The last one is cached, because the records of a page are mostly of
 * one day.
 */
function dateText(day: number): string {
  if (day !== lastDay) {
    lastDateText = writtenDate(day);
    lastDay = day;
  }
  return lastDateText;
}

/** The inverse of `daysBefore`: in years that begin with March, of which 400 make 146 097 days. */
function writtenDate(day: number): string {
  const shifted = day + daysFromYear0;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const leapDays = Math.floor(dayOfEra / 1_460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leapDays) / 365);
  const dayOfYear = dayOfEra - (yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((dayOfYear * 5 + 2) / 153);
  const dayOfMonth = dayOfYear - Math.floor((marchMonth * 153 + 2) / 5) + 1;
  const year = era * 400 + yearOfEra + (marchMonth >= 10 ? 1 : 0);
  const month = marchMonth >= 10 ? marchMonth - 9 : marchMonth + 3;
  const century = twoDigits[Math.floor(year / 100)];
  return `${century}${twoDigits[year % 100]}-${twoDigits[month]}-${twoDigits[dayOfMonth]}`;
}

let lastOffset = 0;
let lastOffsetText = '+00:00';

function offsetText(offset: number): string {
  if (offset !== lastOffset) {
    const minutes = Math.abs(offset) / minuteMs;
    lastOffsetText = `${offset < 0 ? '-' : '+'}${twoDigits[Math.floor(minutes / 60)]}:${twoDigits[minutes % 60]}`;
    lastOffset = offset;
  }
  return lastOffsetText;
}

/**
 * Reads a time: `2014-01-23T14:44:36.516+07:00`, also with a space or `t` for the `T`; without seconds, fraction or
 * time of day (then 0); with `Z`, `z`, `+0700`, `+07` for the offset, also after a space; without an offset, in `zone`.
 * For a local time that occurs twice, the earlier instant is taken; a skipped one is read with the offset before the
 * gap. Digits beyond the milliseconds must be zeros: a time is never truncated.
 * @returns milliseconds since 1970 UTC, or null when the text is not a time of the years 0001 to 9999 (in UTC)
 */
export function parseInstant(text: string, zone: Zone): number | null {
  const day = readDate(text);
  if (day === null) return null;
  let time = 0;
  let at = 10;
  if (at < text.length) {
    const clock = readClock(text);
    if (clock === null) return null;
    time = clock.time;
    at = clock.end;
  }
  const local = day * dayMs + time;
  let instant: number;
  if (at === text.length) {
    instant = onClocks(local, zone);
  } else {
    const offset = readOffset(text, text.charCodeAt(at) === space ? at + 1 : at);
    if (offset === null) return null;
    instant = local - offset;
  }
  return instant >= instantMin && instant <= instantMax ? instant : null;
}

const space = 0x20;
const colon = 0x3a;
const hyphen = 0x2d;

/** The number formed by the `count` digits at a position, or -1 when they are not all digits. */
function digits(text: string, at: number, count: number): number {
  let number = 0;
  for (let index = at; index < at + count; index++) {
    const digit = text.charCodeAt(index) - 0x30;
    if (!(digit >= 0 && digit <= 9)) return -1;
    number = number * 10 + digit;
  }
  return number;
}

/** The day, counted from 1970-01-01, of the `yyyy-mm-dd` at the start of the text, or null. */
function readDate(text: string): number | null {
  const year = digits(text, 0, 4);
  const month = digits(text, 5, 2);
  const day = digits(text, 8, 2);
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return null;
  if (text.charCodeAt(4) !== hyphen || text.charCodeAt(7) !== hyphen) return null;
  return daysBefore(year, month) + day - 1;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Days from 1970-01-01 to the first of a month; counted in years that begin with March, so that leap days come last. */
function daysBefore(year: number, month: number): number {
  const marchYear = month > 2 ? year : year - 1;
  const marchMonth = (month + 9) % 12;
  const leapDays = Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400);
  return marchYear * 365 + leapDays + Math.floor((marchMonth * 153 + 2) / 5) - daysFromYear0;
}

/** The time of day after the date, in milliseconds, and where it ends; or null. */
function readClock(text: string): { time: number; end: number } | null {
  const separator = text.charCodeAt(10);
  if (separator !== 0x54 && separator !== 0x74 && separator !== space) return null;
  const hour = digits(text, 11, 2);
  const minute = digits(text, 14, 2);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || text.charCodeAt(13) !== colon) return null;
  const time = hour * hourMs + minute * minuteMs;
  if (text.charCodeAt(16) !== colon) return { time, end: 16 };
  const second = digits(text, 17, 2);
  if (second < 0 || second > 59) return null;
  const mark = text.charCodeAt(19);
  if (mark !== 0x2e && mark !== 0x2c) return { time: time + second * 1_000, end: 19 };
  return readFraction(text, time + second * 1_000);
}

function readFraction(text: string, time: number): { time: number; end: number } | null {
  let end = 20;
  let fraction = 0;
  for (let digit = digits(text, end, 1); digit >= 0; digit = digits(text, ++end, 1)) {
    if (end < 23) fraction += digit * (end === 20 ? 100 : end === 21 ? 10 : 1);
    else if (digit !== 0) return null;
  }
  return end === 20 ? null : { time: time + fraction, end };
}

/** The offset in the rest of the text, in milliseconds, or null: `Z`, `+07:00`, `+0700`, `+07`; at most 18 hours. */
function readOffset(text: string, at: number): number | null {
  const sign = text.charCodeAt(at);
  const rest = text.length - at;
  if (sign === 0x5a || sign === 0x7a) return rest === 1 ? 0 : null;
  if (sign !== 0x2b && sign !== hyphen) return null;
  const hours = digits(text, at + 1, 2);
  let minutes = -1;
  if (rest === 3) minutes = 0;
  else if (rest === 5) minutes = digits(text, at + 3, 2);
  else if (rest === 6 && text.charCodeAt(at + 3) === colon) minutes = digits(text, at + 4, 2);
  if (hours < 0 || minutes < 0 || minutes > 59) return null;
  const offset = hours * hourMs + minutes * minuteMs;
  if (offset > 18 * hourMs) return null;
  // Not -0, which is not equal to 0 everywhere.
  return sign === hyphen && offset !== 0 ? -offset : offset;
}

/** The instant of a local time in a zone. Zones do not change their offset twice within two days. */
function onClocks(local: number, zone: Zone): number {
  const before = zone.offsetAt(local - dayMs);
  if (zone.offsetAt(local - before) === before) return local - before;
  const after = zone.offsetAt(local + dayMs);
  return zone.offsetAt(local - after) === after ? local - after : local - before;
}
