/** Every page of docs/ that is made from code, and the parts of the client and its tests that are. */
import { typescriptOf } from '../../packages/client/src/types/typescript.ts';
import { tables } from '../../test/client/tables.ts';
import { recordExamples } from '../examples/record.ts';
import { administrationPages } from './administration.ts';
import { clientPage } from './client.ts';
import { clientWire } from './client-wire.ts';
import { codesPage } from './codes.ts';
import { codesByOperationPage } from './codes-by-operation.ts';
import { commandLinePage } from './command-line.ts';
import type { Page } from './markdown.ts';
import { operationsPage } from './operations.ts';
import { permissionsPage } from './permissions.ts';
import { settingsPage } from './settings.ts';

export const generatedPages: readonly Page[] = [
  { path: 'reference/operations.md', make: async (storage) => operationsPage(await recordExamples(storage)) },
  ...administrationPages,
  { path: 'reference/codes.md', make: codesPage },
  { path: 'reference/codes-by-operation.md', make: codesByOperationPage },
  { path: 'reference/permissions.md', make: permissionsPage },
  { path: 'reference/settings.md', make: settingsPage },
  { path: 'reference/client.md', make: clientPage },
  { path: '../packages/client/src/wire.ts', make: clientWire },
  {
    path: '../test/client/types.ts',
    make: () => typescriptOf(tables, '../../packages/client/src/tables.ts'),
  },
  { path: 'reference/command-line.md', make: commandLinePage },
];
