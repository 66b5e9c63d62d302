/** Static checks of apps: the example app's types and lines, and the code of the tutorial and of the guides. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { linesOfData } from '../../lab/apps/lines.ts';
import { writeTypes } from '../../packages/client/src/types/main.ts';
import { blocksOf, root } from '../docs/shell.ts';
import { complaintsAbout, fileOf, guides, withTutorialApp, writeInto } from '../harness/documented-apps.ts';

const folder = join(root, 'examples/field-notes');

test('the types of the app are those of its tables', async () => {
  const [from, out] = ['tables.json', 'src/rowhouse.ts'].map((name) => join(folder, name));
  assert.equal((await writeTypes({ check: true, tables: from, out }, undefined)).isStale, false);
});

test('the app has at most 120 lines for data, sync and sign-in', () => {
  const counted = linesOfData(folder);
  assert.ok((counted.get('src/data.ts') ?? 0) > 30, 'they are counted');
  const sum = [...counted.values()].reduce((before, lines) => before + lines, 0);
  assert.ok(sum <= 120, `${sum} lines`);
});

/** Stand-ins for what the guides' code imports from the page. */
const standIns = `
export declare function connection(isOn: boolean): Promise<void>;
export declare function somebodyElse(objectId: string, changes: object): Promise<void>;
`;
/** Stand-ins for the imports of the guide on React Native, as far as used. */
const reactNative = `
declare module '@react-native-async-storage/async-storage' {
  const AsyncStorage: {
    getItem(key: string): Promise<string | null>;
    setItem(key: string, value: string): Promise<void>;
    removeItem(key: string): Promise<void>;
  };
  export default AsyncStorage;
}
declare module 'expo-sqlite' {
  export function openDatabaseAsync(name: string): Promise<{
    getAllAsync<Row>(sql: string, parameters: (string | number | null)[]): Promise<Row[]>;
    closeAsync(): Promise<void>;
  }>;
}
declare module 'expo-web-browser' {
  export function openAuthSessionAsync(
    address: string,
    redirect: string,
  ): Promise<{ type: 'success'; url: string } | { type: 'cancel' | 'dismiss' }>;
}
`;

test('the apps and programs of the tutorial and the guides compile', async () => {
  assert.ok(guides.length >= 3, `${guides}`);
  await withTutorialApp('http://127.0.0.1:8080', async (made) => {
    for (const [index, guide] of guides.entries()) {
      const code = blocksOf(guide).flatMap(({ language, text }) => (language === 'ts' ? [text] : []));
      writeInto(made, `src/guide${index}.ts`, code.join('\n'));
    }
    writeInto(made, 'src/stand-ins.ts', standIns);
    writeInto(made, 'src/react-native.d.ts', reactNative);
    writeInto(made, 'src/on-react-native.ts', fileOf('docs/how-to/react-native.md', 'src/data.ts'));
    writeInto(made, 'src/wrong.ts', "import { tasks } from './data';\nexport const wrong: number = tasks;\n");
    assert.match(complaintsAbout(made), /^\S*src\/wrong\.ts\(2,14\): error TS2322: .*\n$/);
  });
});
