#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';

import { openFileFault, readOpenFileLimit } from './lib/base/open-files.js';

// V8 lets the heap grow to up to four times of what is in use before it collects all garbage. Twice is a tenth less memory with 100
// nodes (206 instead of 229 MB at `standard`), for no more time. https://chromium.googlesource.com/v8/v8/+/main/src/flags/flag-definitions.h
setFlagsFromString('--heap-growing-percent=100');

const fault = openFileFault(readOpenFileLimit());
if (fault === undefined) {
  const { runCommandLine } = await import('./commands/command-line.js'); // opens more files than a very low limit allows
  await runCommandLine(process);
} else {
  process.stderr.write(`${fault}\n`);
  process.exitCode = 1;
}
