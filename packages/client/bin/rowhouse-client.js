#!/usr/bin/env node
import { main } from '../dist/types/main.js';

process.exitCode = await main(process.argv.slice(2), process.env);
