/** Shapes that several resources share: the envelope, records, expressions; pages of lists, revisions, path parameters. */
import Type, { type TProperties, type TSchema } from 'typebox';

export const text = (description: string, options: object = {}) => Type.String({ description, ...options });
/** A required string that may not be empty. */
export const requiredText = (description: string, options: object = {}) =>
  Type.String({ description, minLength: 1, ...options });
/** Marks a text that counts as absent when it is empty, which strict handling refuses. */
export const absentWhenEmpty = 'x-absent-when-empty';
/**
 * Keywords of JSON Schema that a feature enforces: a value, or the name of the setting that holds it. For descriptions.
 */
export const boundedBy = 'x-bounded-by';
/** Names members of an object that are never read. */
export const ignoredMembers = 'x-passed-over';
/** A string that grants access: the value sent is never repeated in an answer or in the log. */
export const secretText = (description: string, options: object = {}) =>
  Type.String({ description, format: 'password', ...options });
export const optional = <S extends TSchema>(shape: S) => Type.Optional(shape);
export const nothing = Type.Object({});

/** A part of a list for clients (`directory/paging.ts`). */
export const pageQuery = {
  offset: optional(Type.Integer({ description: 'Number of entries to skip.', minimum: 0 })),
  limit: optional(
    Type.Integer({
      description: 'Number of entries to return; all by default.',
      minimum: 1,
      [boundedBy]: { maximum: 'listLimitMax' },
    }),
  ),
};

export const optionalRevision = optional(
  Type.Integer({ description: 'The revision that the change is based on; if it does not match, nothing is changed.' }),
);

export const record = Type.Record(Type.String(), Type.Union([Type.String(), Type.Null()]), {
  description: 'A record: every value is a string, or null.',
});

/** A code of the catalogue (`errors.ts`), or 0. */
export const code = (description: string) => Type.Integer({ description, minimum: 0, maximum: 999 });

/** The success envelope with further members (docs/reference/requests.md#the-envelope). */
export function envelope<P extends TProperties>(members: P) {
  return Type.Object({
    errCode: code('0 on success, otherwise a code of the error catalogue.'),
    status: text("'OK', or 'error'."),
    description: Type.Union([Type.String(), Type.Null()], {
      description: 'Null on success, otherwise an explanation.',
    }),
    ...members,
  });
}

export const failure = envelope({
  results: optional(Type.Array(Type.Unknown(), { description: 'Results per item, if the operation has them.' })),
});

const params = optional(
  Type.Array(Type.Unknown(), {
    description: "Values replacing each '?', in order.",
    [boundedBy]: { maxItems: 'parametersMax' },
  }),
);

export const expression = Type.Object({
  source: text(
    "Condition text: '#alias.column', '?' for a parameter, EXISTS and IN with a sub-query; see the expression language.",
    {
      [boundedBy]: { minLength: 1, maxLength: 'expressionBytesMax' },
    },
  ),
  params,
});

type Bounds = {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly [boundedBy]?: Readonly<Record<string, string | number>>;
};

export const whole = (description: string, bounds: Bounds = {}) => Type.Integer({ description, ...bounds });
export const flag = (description: string) => Type.Boolean({ description });

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

/** Of changes. */
export const basedOn = whole('The revision that the change is based on; any other answers 130 with 409.', {
  minimum: 1,
});
export const revisionQuery = Type.Object({ revision: basedOn });

/** A list: which part of it, in which order, and the filters of this list. */
export function listQuery<P extends TProperties>(filters: P) {
  return Type.Object({
    offset: optional(whole('Number of entries to skip.', { minimum: 0 })),
    limit: optional(
      whole('Number of entries to return: by default 50, at most the setting `listLimitMax`.', {
        minimum: 1,
        [boundedBy]: { maximum: 'listLimitMax' },
      }),
    ),
    sort: optional(text('Field to sort by, `-` before it for descending; ties and the default use the key.')),
    ...filters,
  });
}

/** A filter: exactly this value. */
export const filter = (field: string) => optional(text(`Only entries with this ${field}.`));
export const search = (fields: string) =>
  optional(text(`Only entries with this text in ${fields}; letters A to Z match regardless of case.`));

export function listOf<S extends TSchema>(shape: S) {
  return envelope({
    results: Type.Array(shape),
    count: whole('Number of all matching entries, not only those on this page.'),
  });
}

export function oneOf<S extends TSchema>(shape: S) {
  return envelope({ results: shape });
}

export const companyId = whole('Company.', { minimum: 1 });
export const appId = text('Application id.');
const version = text('Application version, `1.0.0` or `1_0_0`.');
export const ofCompany = Type.Object({ companyId });
export const ofApplication = Type.Object({ companyId, appId });
export const ofVersion = Type.Object({ companyId, appId, version });
