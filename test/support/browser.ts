import { spawnSync } from 'node:child_process';

import type { LaunchOptions } from 'playwright-core';

/** The machine's Chromium. It cannot create its sandbox as root. */
export function launchOptions(): LaunchOptions {
  const { stdout } = spawnSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' });
  return { executablePath: stdout.trim(), args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] };
}
