/**
 * How much text a query may hold for one row, with every value at its greatest length: operands that `||`, SUBSTR and
 * LIKE use several times, which SQLite computes once and keeps until the next row, and values in rows and groups of the
 * answer that are not parts of a record.
 */
import type { ColumnType } from '../../schema/model.ts';
import { checkHeldTexts } from '../bounds.ts';
import type { TypedValue, Value } from '../checked.ts';
import { ruleOf } from '../language.ts';
import type { CheckContext } from './context.ts';
import { isText } from './types.ts';

/** Whether the value's SQL can be repeated without cost. */
export function isPlain({ kind }: Value): boolean {
  return kind === 'column' || kind === 'parameter' || kind === 'literal' || kind === 'now' || kind === 'grouped';
}

/** The value's column, possibly case-folded; null for other computed values. */
export function foldedColumn(value: Value): Extract<Value, { kind: 'column' }> | null {
  if (value.kind === 'fold') return foldedColumn(value.operand);
  return value.kind === 'column' ? value : null;
}

/** For a call or a LIKE that uses its operands several times. @throws ServiceError 132 */
export function countOperands(operands: readonly Value[], context: CheckContext): void {
  if (operands.every(isPlain)) return;
  hold(
    operands.map((operand) => bytesOf(operand, context)),
    context,
  );
}

/**
 * For values of a row that exist at once. Unchanged columns and different parts of a json value are together no larger
 * than a record, so each counts only when repeated.
 * @throws ServiceError 132
 */
export function countValues(values: readonly TypedValue[], context: CheckContext): void {
  const seen = new Set<string>();
  const held = values.map(({ value, type }) => {
    if (!isText(type) && type.kind !== 'json') return 0;
    const part = partOf(value);
    const isFirst = part !== null && !seen.has(part);
    if (part !== null) seen.add(part);
    return isFirst ? 0 : bytesOf(value, context);
  });
  hold(held, context);
}

/** A key for a part of a record, or a column of groups; null for computed values. */
function partOf(value: Value): string | null {
  if (value.kind === 'column') return `${value.table}.${value.column.name}`;
  if (value.kind === 'grouped') return `${value.column}`;
  if (value.kind !== 'call' || ruleOf(value.name).form !== 'json') return null;
  const [column, path] = value.operands as [Value, Extract<Value, { kind: 'literal' }>];
  return `${partOf(column)} ${path.value}`;
}

function hold(sizes: readonly number[], { heldTexts }: CheckContext): void {
  heldTexts.bytes = sizes.reduce((sum, each) => sum + each, heldTexts.bytes);
  checkHeldTexts(heldTexts.bytes, heldTexts.bytesMax);
}

/** UTF-8 of a character. */
const characterBytes = 4;

/**
 * The greatest size of the value, bytes; 0 if it is not text. Bound values do not count, as they are in memory anyway.
 */
function bytesOf(value: Value, context: CheckContext): number {
  const { valueBytesMax } = context.rules;
  const longest = (values: readonly Value[]) => Math.max(...values.map((each) => bytesOf(each, context)));
  switch (value.kind) {
    case 'column':
      return bytesOfType(value.column.type, valueBytesMax);
    case 'fold':
      return bytesOf(value.operand, context);
    case 'coalesce':
      return longest(value.operands);
    case 'case':
      return longest([...value.choices.map((choice) => choice.value), value.otherwise]);
    case 'call': {
      const { name, operands, types } = value;
      if (!isText(types.result)) return 0;
      if (ruleOf(name).form === 'json') return valueBytesMax;
      if (name !== '||') return bytesOf(operands[0]!, context);
      const sum = operands.reduce((bytes, each) => bytes + bytesOf(each, context), 0);
      return Math.min(valueBytesMax, sum);
    }
    case 'grouped':
      return valueBytesMax;
    default:
      return 0;
  }
}

function bytesOfType(type: ColumnType, valueBytesMax: number): number {
  if (type.kind === 'varchar') return type.length * characterBytes;
  return type.kind === 'text' || type.kind === 'json' ? valueBytesMax : 0;
}
