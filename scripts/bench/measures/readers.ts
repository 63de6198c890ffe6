import { type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

import type { BenchExporter } from '../exporter.js';
import type { Figures } from '../figures.js';
import { scrape } from '../scraper.js';

const readerCount = 3;
const readingMs = 4_000;
const sampleMs = 50;
/** Scrapes in which the process takes the memory that it needs for scrapes at all. */
const scrapesBefore = 6;

/** Readers that take the headers and then nothing. */
export async function measureReaders(exporter: BenchExporter): Promise<Figures> {
  let outputBytes = 0;
  for (let count = 0; count < scrapesBefore; count++) outputBytes = (await scrape(exporter.port)).sizeBytes;
  const before = await exporter.usage();
  const readers = await Promise.all(Array.from({ length: readerCount }, () => openReader(exporter.port)));
  let peakBytes = 0;
  const endMs = performance.now() + readingMs;
  while (performance.now() < endMs) {
    peakBytes = Math.max(peakBytes, (await exporter.usage()).rssBytes);
    await delay(sampleMs);
  }
  for (const reader of readers) reader.destroy();
  return { slowReaders: Math.max(0, peakBytes - before.rssBytes) / outputBytes };
}

async function openReader(port: number): Promise<IncomingMessage> {
  const headers = { 'x-prometheus-scrape-timeout-seconds': '60', 'accept-encoding': 'identity' };
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path: '/metrics', headers, agent: false }, (response) => {
      response.on('error', () => undefined);
      response.pause();
      resolve(response);
    })
      .on('error', reject)
      .end();
  });
}
