/** The compiler's cost for the types of many tables, and for a program that uses all of them. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { typescriptOf } from '../../packages/client/src/types/typescript.ts';
import { manyTables, usesOf } from './many-tables.ts';

const root = join(import.meta.dirname, '../..');
const source = join(root, 'packages/client/src');

/** The compiler's output, with `options` on its command line. */
export function compile(...options: string[]): string {
  const words = [join(root, 'node_modules/typescript/bin/tsc'), '--noEmit', '--pretty', 'false', ...options];
  return spawnSync(process.execPath, words, { encoding: 'utf8' }).stdout;
}

export interface Weight {
  readonly instantiations: number;
  /** The time for checking that the compiler reports, in milliseconds. */
  readonly checkMs: number;
  /** Its total run time in milliseconds, including reading the library and the client. */
  readonly totalMs: number;
}

/** @throws Error if the program does not compile */
export function weighTypes(tableCount: number, columnCount: number): Weight {
  const folder = mkdtempSync(join(tmpdir(), 'rowhouse-types-'));
  try {
    const tables = manyTables(tableCount, columnCount);
    writeFileSync(join(folder, 'rowhouse.ts'), typescriptOf(tables, join(source, 'tables.ts')));
    writeFileSync(join(folder, 'uses.ts'), usesOf(tables, join(source, 'client.ts')));
    const compilerOptions = { lib: ['es2022', 'dom'], target: 'es2022', module: 'nodenext', strict: true, types: [] };
    const project = { compilerOptions: { ...compilerOptions, allowImportingTsExtensions: true, noEmit: true } };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project));
    const told = compile('-p', folder, '--extendedDiagnostics');
    if (/error TS/.test(told)) throw new Error(told);
    const figure = (name: string) => Number(new RegExp(`^${name}: +([\\d.]+)`, 'm').exec(told)?.[1]);
    return {
      instantiations: figure('Instantiations'),
      checkMs: figure('Check time') * 1_000,
      totalMs: figure('Total time') * 1_000,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
