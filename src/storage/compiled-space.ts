/**
 * A data space at one version of its definition, with what was compiled for it. A changed definition is a new object
 * without compiled statements; those of the former one are freed with it.
 */
import { compileRecord } from '../query/compile.ts';
import type { Shape } from '../query/shape.ts';
import type { Dialect, Statement } from '../query/statement.ts';
import type { SpaceDefinition, Table } from '../schema/model.ts';
import { Lru } from './lru.ts';

/** A shape with a longer text is not cached, because it is large and unlikely to recur. */
const keptTextMax = 16_384;

export class CompiledSpace implements SpaceDefinition {
  readonly version: number;
  readonly tables: ReadonlyMap<string, Table>;
  readonly former: SpaceDefinition['former'];
  readonly catalogue: SpaceDefinition['catalogue'];
  readonly #dialect: Dialect;
  readonly #records = new Map<string, Statement>();
  readonly #typedRecords = new Map<string, Statement>();
  readonly #shapes: Lru<string, Shape>;

  /** @param shapesMax number of shapes that are kept; the least recently used one is dropped first */
  constructor({ version, tables, former, catalogue }: SpaceDefinition, dialect: Dialect, shapesMax: number) {
    this.version = version;
    this.tables = tables;
    this.former = former;
    this.catalogue = catalogue;
    this.#dialect = dialect;
    this.#shapes = new Lru(shapesMax);
  }

  /** The statement that finds one record of the table. @param typed as in `compileRecord` */
  record(table: Table, typed = false): Statement {
    const known = typed ? this.#typedRecords : this.#records;
    let statement = known.get(table.name);
    if (statement === undefined) {
      statement = compileRecord(table, this.#dialect, typed);
      known.set(table.name, statement);
    }
    return statement;
  }

  /** The shape of this text, made on first use. */
  shape(text: string, make: () => Shape): Shape {
    if (text.length > keptTextMax) return make();
    return this.#shapes.get(text) ?? this.#shapes.set(text, make());
  }
}
