#!/usr/bin/env node
// The command `rowhouse`, on the pinned Node.
import { fileURLToPath } from 'node:url';
import { heapFlags } from './allocator.js';
import { runPinnedNode } from './pinned-node.js';

const command = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));
// Types are stripped from the console's modules by a function that Node marks as experimental.
runPinnedNode([...heapFlags, '--disable-warning=ExperimentalWarning', command, ...process.argv.slice(2)]);
