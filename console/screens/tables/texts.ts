/** Indexes and changes in words. */
import { words } from '../../preferences.ts';
import { type Change, type ColumnChanges, type Index, typeText } from './definition.ts';

export function indexText({ columns, unique }: Index): string {
  return `${columns.join(', ')}${unique ? ` (${words().tables.unique})` : ''}`;
}

/** @param binned the name of the bin's entry with this number */
export function changeText(change: Change, binned: (id: number) => string): string {
  const texts = words().tables.changes;
  switch (change.op) {
    case 'addTable':
      return texts.addTable(change.table, change.columns.length);
    case 'renameTable':
      return texts.renameTable(change.table, change.to);
    case 'changeTable':
      return texts.changeTable(change.table, change.lockFree);
    case 'dropTable':
      return texts.dropTable(change.table);
    case 'addColumn':
      return texts.addColumn(`${change.table}.${change.column.colName}`, typeText(change.column));
    case 'renameColumn':
      return texts.renameColumn(`${change.table}.${change.column}`, change.to);
    case 'changeColumn':
      return texts.changeColumn(`${change.table}.${change.column}`, changesText(change));
    case 'dropColumn':
      return texts.dropColumn(`${change.table}.${change.column}`);
    case 'addIndex':
      return texts.addIndex(change.table, indexText(change));
    case 'dropIndex':
      return texts.dropIndex(change.table, indexText(change));
    case 'restore':
      return texts.restore(binned(change.id), change.as ?? null);
    case 'purge':
      return texts.purge(binned(change.id));
  }
}

function changesText({ type, fieldLength, precision, scale, ...others }: ColumnChanges): string {
  const texts = words().tables;
  const told: string[] = [];
  if (type !== undefined) {
    const parts = { ...(fieldLength !== undefined && { fieldLength }), ...(precision !== undefined && { precision }) };
    told.push(typeText({ type, ...parts, ...(scale !== undefined && { scale }) }));
  }
  if (others.required !== undefined) told.push(others.required ? texts.required : texts.notRequired);
  if (others.default !== undefined)
    told.push(others.default === null ? texts.noDefault : `${texts.default}: ${others.default}`);
  if (others.references !== undefined)
    told.push(others.references === null ? texts.noReference : `→ ${others.references}`);
  if (others.fullText !== undefined) told.push(others.fullText ? texts.fullText : texts.noFullText);
  return told.join(', ');
}
