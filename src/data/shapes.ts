/** Compiled query shapes, kept per data space definition, so that a request of a known shape only binds values. */
import type { Query } from '../query/ast.ts';
import type { RowPlan } from '../query/compile.ts';
import type { Statement } from '../query/statement.ts';
import type { SpaceDefinition } from '../schema/model.ts';
import { Lru } from '../storage/lru.ts';

/** One checked shape; each of its statements is compiled on first use. */
export interface Shape {
  readonly rows: Readonly<Record<RowPlan, () => Statement>>;
  count(): Statement;
}

export interface Shapes {
  /** The shape of the query, made on its first use; the least recently used one leaves when there are too many. */
  get(query: Query, make: () => Shape): Shape;
}

/** Makes a function that calls `make` once and then keeps its result. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Characters of a shape's key beyond which it is not kept: there is hardly a second one like it, and it is large. */
const keptKeyMax = 16_384;

/** Keyed by the definition itself: a changed definition starts with no shapes, and an unused one takes its shapes along. */
const caches = new WeakMap<SpaceDefinition, Shapes>();

/** @param shapesMax how many shapes are kept for one data space */
export function shapesOf(definition: SpaceDefinition, shapesMax: number): Shapes {
  let shapes = caches.get(definition);
  if (shapes === undefined) {
    shapes = boundedShapes(shapesMax);
    caches.set(definition, shapes);
  }
  return shapes;
}

function boundedShapes(shapesMax: number): Shapes {
  const byKey = new Lru<string, Shape>(shapesMax);
  return {
    get(query, make) {
      const key = JSON.stringify(query);
      if (key.length > keptKeyMax) return make();
      let shape = byKey.get(key);
      if (shape === undefined) {
        shape = make();
        byKey.set(key, shape);
      }
      return shape;
    },
  };
}
