/** What both descriptions in OpenAPI have in common: shapes with the bounds of the settings, examples, parameters, errors. */
import type { TObject, TSchema } from 'typebox';
import type { Settings } from '../config.ts';
import { type Code, codes } from '../errors.ts';
import { exampleOf } from '../wire/examples.ts';
import { boundedBy } from '../wire/shapes.ts';

export type DescribedSettings = Settings;

/**
 * The shape as it is enforced: bounds that settings have are numbers, and an integer without bounds has those of a JSON
 * number that is exact.
 */
export function asEnforced(schema: TSchema, settings: DescribedSettings): object {
  return enforced(schema, settings) as object;
}

function enforced(value: unknown, settings: DescribedSettings): unknown {
  if (Array.isArray(value)) return value.map((item) => enforced(item, settings));
  if (typeof value !== 'object' || value === null) return value;
  const { [boundedBy]: bounds, ...rest } = value as { readonly [boundedBy]?: Readonly<Record<string, unknown>> };
  const result: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(rest)) result[name] = enforced(member, settings);
  for (const [keyword, bound] of Object.entries(bounds ?? {})) {
    result[keyword] = typeof bound === 'string' ? settings[bound as keyof Settings] : bound;
  }
  return result.type === 'integer' && typeof result.description === 'string' ? { ...exact, ...result } : result;
}

const exact = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };

/** The content of a body or an answer. */
export function jsonContent(schema: object, example: unknown): object {
  return { 'application/json': { schema, example } };
}

/** One for each member of the shape, required where the shape says so. */
export function parametersOf(place: 'path' | 'query', shape: TObject, settings: DescribedSettings): object[] {
  const { required = [] } = shape as { readonly required?: readonly string[] };
  const properties = shape.properties as Readonly<Record<string, TSchema & { readonly description?: string }>>;
  return Object.entries(properties).map(([name, schema]) => {
    const described = parameter(name, place, asEnforced(schema, settings), schema.description ?? '');
    const isRequired = required.includes(name);
    return { ...described, required: isRequired, ...(isRequired ? { example: exampleOf(schema, name) } : {}) };
  });
}

export function parameter(name: string, place: 'path' | 'query', schema: object, description: string): object {
  return { name, in: place, required: true, ...(description === '' ? {} : { description }), schema };
}

/** What any request may be answered before an operation sees it: a path that can't be read, a head too large or too slow. */
const beforeOperation: readonly (readonly [status: number, code: Code])[] = [
  [404, 199],
  [408, 131],
  [431, 131],
];

/** By HTTP status, with every code that comes with it. */
export function errorResponses(
  codesAnswered: readonly Code[],
  statusesOfCode: (code: Code) => readonly number[],
): Record<string, object> {
  const byStatus = new Map<number, Set<Code>>();
  const add = (status: number, code: Code) => byStatus.getOrInsertComputed(status, () => new Set()).add(code);
  for (const code of codesAnswered) if (code !== 0) for (const status of statusesOfCode(code)) add(status, code);
  for (const [status, code] of beforeOperation) add(status, code);
  const answers: Record<string, object> = {};
  for (const [status, listed] of [...byStatus].sort(([left], [right]) => left - right)) {
    const first = [...listed][0] as Code;
    answers[status] = {
      description: [...listed].map((code) => `${code}: ${codes[code].meaning}`).join(' · '),
      content: jsonContent(
        { $ref: '#/components/schemas/Failure' },
        { errCode: first, status: 'error', description: `A sentence on what is wrong: ${codes[first].meaning}.` },
      ),
      ...(status === 429 || status === 503 ? { headers: { 'Retry-After': retryAfter } } : {}),
    };
  }
  return answers;
}

const retryAfter = { description: 'Seconds after which to try again.', schema: { type: 'integer', minimum: 1 } };
