#!/usr/bin/env node
// `node bin/node.js …` is the pinned `node …`; for the scripts of package.json.
import { runPinnedNode } from './pinned-node.js';

runPinnedNode(process.argv.slice(2));
