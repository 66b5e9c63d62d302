/** One record by its id (docs/reference/queries.md#one-record). */
import type { Caller } from '../caller.ts';
import { quoted, ServiceError } from '../errors.ts';
import { type JsonText, joined } from '../storage/json-text.ts';
import { refuseUnstorable } from '../text.ts';
import type { DataContext } from './context.ts';
import { withDefinition } from './definition.ts';
import { requireTableRight } from './table-rights.ts';
import { tableOf } from './tables.ts';
import { membersOfCaller } from './visibility.ts';

/**
 * JSON text of `{"<table>":[record]}`.
 * @param typed whether values are JSON of their type; otherwise text
 * @throws ServiceError `forbidden`; `noTable`; 130 when the record does not exist or is not visible to the caller
 */
export async function getRecord(
  context: DataContext,
  caller: Caller,
  objectName: string,
  objectId: string,
  typed: boolean,
): Promise<JsonText> {
  refuseUnstorable('objectName', objectName);
  refuseUnstorable('objectId', objectId);
  requireTableRight(caller, 'read', objectName);
  return withDefinition(context, caller, async (space) => {
    const table = tableOf(space, objectName);
    const statement = space.record(table, typed);
    const values = statement.bind({ parameters: [objectId], members: membersOfCaller(caller) });
    const record = await context.storage.spaces.record(caller.spaceId, statement, values);
    if (record === null) {
      throw new ServiceError(130, `There is no record ${quoted(objectId)} in table "${table.name}" that you may see.`);
    }
    return joined([`{"${table.name}":[`, record, ']}']);
  });
}
