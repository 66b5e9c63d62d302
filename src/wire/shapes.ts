/** Shapes that several resources share: the envelope, records, expressions. */
import Type, { type TProperties, type TSchema } from 'typebox';

export const text = (description: string, options: object = {}) => Type.String({ description, ...options });
/** A string that must be there and not be empty. */
export const requiredText = (description: string, options: object = {}) =>
  Type.String({ description, minLength: 1, ...options });
/** Marks a text that counts as absent when it is empty, and that strict handling refuses then. */
export const absentWhenEmpty = 'x-absent-when-empty';
/** Keywords of JSON Schema that a feature enforces: a value, or the name of the setting that has it. For descriptions. */
export const boundedBy = 'x-bounded-by';
/** Names members of an object that no handling looks at. */
export const passedOver = 'x-passed-over';
/** A string that opens something: what came in its place is never repeated, in an answer or in the log. */
export const secretText = (description: string, options: object = {}) =>
  Type.String({ description, format: 'password', ...options });
export const optional = <S extends TSchema>(shape: S) => Type.Optional(shape);
export const nothing = Type.Object({});

/** A part of a list (`directory/paging.ts`). */
export const pageQuery = {
  offset: optional(Type.Integer({ description: 'Entries to leave out at the beginning.', minimum: 0 })),
  limit: optional(
    Type.Integer({
      description: 'Entries to answer; all of them when absent.',
      minimum: 1,
      [boundedBy]: { maximum: 'listLimitMax' },
    }),
  ),
};

export const revision = optional(
  Type.Integer({ description: 'The one that the change is based on; where it is another one, nothing is changed.' }),
);

export const record = Type.Record(Type.String(), Type.Union([Type.String(), Type.Null()]), {
  description: 'A record: every value is a string, or null.',
});

/** The success envelope with further members (docs/reference/requests.md#the-envelope). */
export function envelope<P extends TProperties>(members: P) {
  return Type.Object({
    errCode: Type.Integer({ description: '0 on success, otherwise a code of the error catalogue.' }),
    status: text("'OK', or 'error'."),
    description: Type.Union([Type.String(), Type.Null()], { description: 'Null on success, else what is wrong.' }),
    ...members,
  });
}

export const failure = envelope({
  results: optional(Type.Array(Type.Unknown(), { description: 'Per-item results, where the operation has them.' })),
});

const params = optional(
  Type.Array(Type.Unknown(), {
    description: "Values replacing each '?', in order.",
    [boundedBy]: { maxItems: 'parametersMax' },
  }),
);

export const expression = Type.Object({
  source: text("Condition text: '#alias.column', '?' for a parameter; see the expression language.", {
    [boundedBy]: { minLength: 1, maxLength: 'expressionBytesMax' },
  }),
  params,
});
