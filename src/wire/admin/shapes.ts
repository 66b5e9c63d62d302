/** Shapes that the operations of the administration interface share: pages of lists, revisions, path parameters. */
import Type, { type TProperties, type TSchema } from 'typebox';
import { boundedBy, envelope, optional, text } from '../shapes.ts';

type Bounds = {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly [boundedBy]?: Readonly<Record<string, string | number>>;
};

export const whole = (description: string, bounds: Bounds = {}) => Type.Integer({ description, ...bounds });
export const flag = (description: string) => Type.Boolean({ description });
export const texts = (description: string) => Type.Array(Type.String(), { description });
export const wholes = (description: string) => Type.Array(Type.Integer(), { description });

/** One of the words. */
export function choice<const Word extends string>(words: readonly Word[], description: string) {
  const told = `${description} One of ${words.join(', ')}.`.trim();
  return Type.Unsafe<Word>({ type: 'string', enum: words, description: told });
}

/** The value, or null. */
export const orNull = <S extends TSchema>(shape: S, description: string) =>
  Type.Union([shape, Type.Null()], { description });

export const orNullText = (description: string) => orNull(Type.String(), description);
export const orNullWhole = (description: string, bounds: Bounds = {}) => orNull(Type.Integer(bounds), description);

export const time = (description: string) => text(`${description} ISO 8601 with offset.`);

/** Of objects. */
export const revision = whole('Goes up by one with every change; a change names the one that it is based on.');
/** Of changes. */
export const basedOn = whole('The revision that the change is based on; another one answers 130 with 409.', {
  minimum: 1,
});
export const revisionQuery = Type.Object({ revision: basedOn });

/** A list: which part of it, in which order, and the filters of this list. */
export function listQuery<P extends TProperties>(filters: P) {
  return Type.Object({
    offset: optional(whole('Entries to leave out.', { minimum: 0 })),
    limit: optional(
      whole('Entries to answer: 50 unless sent, setting `listLimitMax` at most.', {
        minimum: 1,
        [boundedBy]: { maximum: 'listLimitMax' },
      }),
    ),
    sort: optional(text('Field to sort by, `-` before it for descending; ties and the default go by the key.')),
    ...filters,
  });
}

/** A filter: exactly this value. */
export const filter = (field: string) => optional(text(`Only entries with this ${field}.`));
export const search = (fields: string) =>
  optional(text(`Only entries with this text in ${fields}; letters A to Z match in either case.`));

export function listOf<S extends TSchema>(shape: S) {
  return envelope({
    results: Type.Array(shape),
    count: whole('All entries that match, not only those of this page.'),
  });
}

export function oneOf<S extends TSchema>(shape: S) {
  return envelope({ results: shape });
}

export const noParams = Type.Object({});
export const companyId = whole('Company.', { minimum: 1 });
export const appId = text('Application id.');
const version = text('Application version, `1.0.0` or `1_0_0`.');
export const ofCompany = Type.Object({ companyId });
export const ofApplication = Type.Object({ companyId, appId });
export const ofVersion = Type.Object({ companyId, appId, version });
