import { spawnSync } from 'node:child_process';

import type { Browser, BrowserContextOptions, LaunchOptions, Page } from 'playwright-core';

/** The machine's Chromium. It cannot create its sandbox as root. */
export function launchOptions(): LaunchOptions {
  const { stdout } = spawnSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' });
  return { executablePath: stdout.trim(), args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] };
}

export interface Visit extends AsyncDisposable {
  readonly page: Page;
  /** Errors and messages of the browser. */
  readonly complaints: readonly string[];
  /** Addresses that were asked for. */
  readonly requested: readonly string[];
}

interface VisitOptions {
  readonly url: string;
  readonly options?: BrowserContextOptions;
  /** Changes the page before it is loaded. */
  readonly prepare?: ((page: Page) => Promise<void>) | undefined;
}

/** Opens a page in a window of its own. */
export async function visited(browser: Browser, { url, options, prepare }: VisitOptions): Promise<Visit> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const complaints: string[] = [];
  const requested: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (asked) => requested.push(asked.url()));
  await prepare?.(page);
  await page.goto(url);
  return { page, complaints, requested, [Symbol.asyncDispose]: () => context.close() };
}
