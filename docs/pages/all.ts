/** Every page of docs/ that is made from code. */
import { administrationPage } from './administration.ts';
import { codesPage } from './codes.ts';
import { codesByOperationPage } from './codes-by-operation.ts';
import { commandLinePage } from './command-line.ts';
import { operationsPage } from './operations.ts';
import { permissionsPage } from './permissions.ts';
import { settingsPage } from './settings.ts';

export interface GeneratedPage {
  /** Below docs/. */
  readonly path: string;
  make(): string;
}

export const generatedPages: readonly GeneratedPage[] = [
  { path: 'reference/operations.md', make: operationsPage },
  { path: 'reference/administration.md', make: administrationPage },
  { path: 'reference/codes.md', make: codesPage },
  { path: 'reference/codes-by-operation.md', make: codesByOperationPage },
  { path: 'reference/permissions.md', make: permissionsPage },
  { path: 'reference/settings.md', make: settingsPage },
  { path: 'reference/command-line.md', make: commandLinePage },
];
