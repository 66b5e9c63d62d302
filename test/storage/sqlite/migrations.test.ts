/** Released steps of the files' layouts must not change. */
import { test } from 'node:test';
import { directorySteps, spaceSteps, stepsOf } from '../../../src/storage/sqlite/migrations.ts';
import { assertUnchanged } from '../pinned.ts';

test('released steps of every file are unchanged', () => {
  assertUnchanged(directorySteps, [
    '821f6f8fcdd27af3',
    '5122fcae55df830b',
    '5fa2e0a7aa0b325c',
    'd36f09ddd9e8a9b7',
    '4a76faed4dc6ae80',
    '0a2eee6309628beb',
  ]);
  assertUnchanged(stepsOf('logs'), ['93c65989b357a064', '268797f6f8d83ef1', '731c537e75a88aa5']);
  assertUnchanged(spaceSteps, ['56ffc7542b199273', '1585e86ca4f76b2c']);
});
