/** Compiled query shapes, cached per data space definition, so that a request of a known shape only binds values. */
import type { Query } from '../query/ast.ts';
import type { RowPlan } from '../query/compile.ts';
import type { Statement } from '../query/statement.ts';
import type { SpaceDefinition } from '../schema/model.ts';
import { Lru } from '../storage/lru.ts';

/** One shape. It is checked, and each of its statements compiled, on first use; either takes long for a long query. */
export interface Shape {
  readonly query: Query;
  /** Empty where the values come with the query (docs/reference/older-query.md). */
  readonly parameterCounts: readonly number[];
  /** @throws ServiceError 132 */
  check(): void;
  readonly rows: Readonly<Record<RowPlan, () => Statement>>;
  count(): Statement;
}

export interface Shapes {
  /** The shape of this text, created on first use; the least recently used shape is dropped when there are too many. */
  get(text: string, make: () => Shape): Shape;
}

/** Returns a function that calls `make` once and then returns its result. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** A shape with a longer text is not cached: it is large, and unlikely to come again. */
const keptTextMax = 16_384;

/** Keyed by the definition itself: a changed definition starts with no shapes, and an unused one takes its shapes along. */
const caches = new WeakMap<SpaceDefinition, Shapes>();

/** @param shapesMax the number of shapes that are kept for one data space */
export function shapesOf(definition: SpaceDefinition, shapesMax: number): Shapes {
  let shapes = caches.get(definition);
  if (shapes === undefined) {
    shapes = boundedShapes(shapesMax);
    caches.set(definition, shapes);
  }
  return shapes;
}

function boundedShapes(shapesMax: number): Shapes {
  const byText = new Lru<string, Shape>(shapesMax);
  return {
    get(text, make) {
      if (text.length > keptTextMax) return make();
      return byText.get(text) ?? byText.set(text, make());
    },
  };
}
