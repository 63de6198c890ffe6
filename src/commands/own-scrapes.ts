import { once } from 'node:events';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

import { messageOf } from '../lib/base/errors.js';
import type { CommandContext } from './context.js';

const intervalMs = 10_000;

/** Scrapes the exporter of this process until the stop signal, as Prometheus would. Reports the first failure. */
export async function scrapeRegularly(
  scrape: { readonly url: string; readonly headers: Readonly<Record<string, string>> },
  { clock, stopSignal, writeError }: Pick<CommandContext, 'clock' | 'stopSignal' | 'writeError'>,
): Promise<void> {
  const isOver = (): boolean => stopSignal.aborted;
  let hasFailed = false;
  while (!isOver()) {
    await clock.sleep(intervalMs, stopSignal).catch(() => undefined);
    if (isOver()) return;
    try {
      await read(scrape, stopSignal);
    } catch (error) {
      if (!hasFailed && !isOver()) writeError(`the demo cannot scrape itself: ${messageOf(error)}\n`);
      hasFailed = true;
    }
  }
}

/** The certificate is not verified: it is that of this process. */
async function read({ url, headers }: Parameters<typeof scrapeRegularly>[0], signal: AbortSignal): Promise<void> {
  const options = { headers, signal };
  const request = url.startsWith('https:')
    ? requestHttps(url, { ...options, rejectUnauthorized: false })
    : requestHttp(url, options);
  const [response] = (await once(request.end(), 'response')) as [IncomingMessage];
  await once(response.resume(), 'end');
  if (response.statusCode !== 200) throw new Error(`HTTP ${response.statusCode ?? 0}`);
}
