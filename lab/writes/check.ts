/** Sends random batches to a service, and compares its answers and its data with the model. */
import { seeded } from '../machine/random.ts';
import { randomBatch, tables } from './batches.ts';
import { type Effect, type Expected, Model, type ModelRecord, type Operation, type Writer } from './model.ts';

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** A service with the tables of `batches.ts`, empty. */
export interface Service<Who extends string> {
  post(who: Who, path: string, body: object): Promise<Answer>;
  readonly writers: Readonly<Record<Who, Writer>>;
  /** A group without members. */
  readonly foreignGroup: number;
}

export interface CheckOptions {
  readonly seed: number;
  /** The number of the seed's random stream; 0 by default. */
  readonly round?: number;
  readonly batches: number;
  /** Called now and then. */
  readonly progress?: (tally: Readonly<Tally>) => void;
}

export interface Tally {
  batches: number;
  items: number;
  refused: number;
  replays: number;
  added: number;
  updated: number;
  /** How often all stored data were compared. */
  comparisons: number;
}

export const nothing: Readonly<Tally> = {
  ...{ batches: 0, items: 0, refused: 0, replays: 0, added: 0, updated: 0, comparisons: 0 },
};

interface Result {
  readonly objectId: string;
  readonly serverCreateTime?: string | null;
  readonly serverUpdateTime?: string | null;
  readonly outcome?: 'added' | 'updated';
  readonly errCode?: number;
}

/** Batches between two comparisons of all stored data. */
const comparedEvery = 25;

/** @throws Error at the first difference, with the batch */
export async function checkWrites<Who extends string>(service: Service<Who>, options: CheckOptions): Promise<Tally> {
  const { seed, round = 0, batches, progress = () => {} } = options;
  const random = seeded(seed, round);
  const model = new Model(tables);
  const everybody = Object.keys(service.writers) as Who[];
  const tally: Tally = { ...nothing };
  const done: { readonly who: Who; readonly body: object; readonly path: string; readonly results: string }[] = [];
  while (tally.batches < batches) {
    const who = random.pick(everybody);
    const writer = service.writers[who];
    const operations = randomBatch(model, writer, service.foreignGroup, random);
    const { path, body } = requestOf(operations, random.chance(0.3) ? `t${tally.batches}` : null);
    const expected = model.apply(writer, operations);
    const answer = await service.post(who, path, body);
    const differs = difference(operations, expected, answer);
    if (differs !== null)
      throw new Error(`Round ${round}, batch ${tally.batches}: ${told(who, path, body, answer, differs)}`);
    tally.batches++;
    tally.items += operations.reduce((sum, { data }) => sum + data.length, 0);
    if (expected.kind === 'refused') tally.refused++;
    else {
      for (const { op, before } of expected.effects) if (op === 'put') tally[before === null ? 'added' : 'updated']++;
      if ('transactionId' in body)
        done.push({ who, body, path, results: JSON.stringify(JSON.parse(answer.text).results) });
    }
    if (random.chance(0.05) && done.length > 0) await replay(service, random.pick(done), everybody, tally);
    if (tally.batches % comparedEvery !== 0) continue;
    for (const reader of everybody) await compareStored(service, model, reader);
    tally.comparisons++;
    progress(tally);
  }
  return tally;
}

/** A single put is sometimes sent by its own operation. */
function requestOf(operations: readonly Operation[], transactionId: string | null) {
  const transaction = transactionId === null ? {} : { transactionId };
  const [first] = operations;
  if (operations.length === 1 && first?.op === 'put') {
    const { op: _, ...put } = first;
    return { path: 'data/batch/putData', body: { ...transaction, ...put } };
  }
  return { path: 'data/batch', body: { ...transaction, operations } };
}

/**
 * The difference between the answer and the expected one, in words; if there is none, stores the ids and times in the
 * answer.
 */
function difference(operations: readonly Operation[], expected: Expected, { status, text }: Answer): string | null {
  const { errCode, results } = JSON.parse(text) as { errCode: number; results?: Result[] };
  if (expected.kind === 'refused') {
    const first = expected.refusals.find((refusal) => refusal !== null && refusal !== 'either');
    if (errCode !== first?.code || status !== first.status) return `expected ${first?.code} (${first?.status})`;
    const codes = results?.map((result) => result.errCode ?? null) ?? [];
    const wanted = expected.refusals.map((refusal, index) => {
      return refusal === 'either' ? codes[index] : (refusal?.code ?? null);
    });
    return JSON.stringify(codes) === JSON.stringify(wanted) ? null : `expected the codes ${JSON.stringify(wanted)}`;
  }
  if (errCode !== 0 || status !== 200) return 'expected success';
  if (results?.length !== expected.effects.length) return `expected ${expected.effects.length} results`;
  for (const [index, effect] of expected.effects.entries()) {
    const wrong = wrongResult(effect, results[index] as Result);
    if (wrong !== null) return `results[${index}]: ${wrong}`;
  }
  return operations.length > 0 ? null : 'expected operations';
}

function wrongResult({ op, before, after }: Effect, result: Result): string | null {
  const { objectId, serverCreateTime: created, serverUpdateTime: updated, outcome } = result;
  const id = (after ?? before)?.objectId;
  if (id !== null && objectId !== id) return `expected the id ${id}`;
  const wanted = op !== 'put' ? undefined : before === null ? 'added' : 'updated';
  if (outcome !== wanted) return `expected the outcome ${wanted}`;
  if (typeof created !== 'string' || typeof updated !== 'string') return 'expected times';
  if (before !== null && created !== before.created) return `expected it to be made at ${before.created}`;
  if (after === null) return updated === before?.updated ? null : 'expected the times that the record had';
  if (before === null && created !== updated) return 'expected equal times';
  if (before !== null && Date.parse(updated) <= Date.parse(before.updated)) return 'expected a later time';
  Object.assign(after, { objectId, created, updated });
  return null;
}

/** The same request again, of the same user or another. */
async function replay<Who extends string>(
  service: Service<Who>,
  { who, path, body, results }: { who: Who; path: string; body: object; results: string },
  everybody: readonly Who[],
  tally: Tally,
): Promise<void> {
  const again = everybody[tally.replays % everybody.length] as Who;
  const { status, text } = await service.post(again, path, body);
  const { errCode, results: told } = JSON.parse(text);
  const wanted = again === who ? results : '[]';
  if (status !== 409 || errCode !== 211 || JSON.stringify(told) !== wanted) {
    throw new Error(`Sent again by ${again}: ${JSON.stringify(body)}\n  expected 211 with ${wanted}\n  got ${text}`);
  }
  tally.replays++;
}

async function compareStored<Who extends string>(service: Service<Who>, model: Model, who: Who): Promise<void> {
  for (const { name, columns } of tables) {
    const { text } = await service.post(who, `data/select/${name}`, {
      from: { phyName: name, alias: 'a' },
      values: 'text',
    });
    const rows = (JSON.parse(text).rows ?? []) as { a: Readonly<Record<string, string | null>> }[];
    const stored = rows.map(({ a }) => [
      ...[a.objectId, a.serverCreateTime, a.serverUpdateTime, a.scopeType, a.createUserId, a.groupIds ?? '{}'],
      ...columns.map((column) => a[column]),
    ]);
    const known = model
      .seenBy(service.writers[who], name)
      .map((record: ModelRecord) => [
        ...[record.objectId, record.created, record.updated, String(record.scope), String(record.owner)],
        `{${record.groupIds}}`,
        ...columns.map((column) => record.values[column]),
      ]);
    const [is, wanted] = [stored, known].map((all) =>
      all
        .map((row) => JSON.stringify(row))
        .sort()
        .join('\n'),
    );
    if (is !== wanted) throw new Error(`${who} sees in ${name}\n${is}\ninstead of\n${wanted}`);
  }
}

function told(who: string, path: string, body: object, { status, text }: Answer, wanted: string): string {
  return `${who}: ${path} ${JSON.stringify(body)}\n  ${wanted}\n  got ${status} ${text}`;
}
