/** Loaded into the exporter's process: reports its resources to the parent that asks. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import process from 'node:process';

const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();
process.on('message', () => {
  const timerCount = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  process.send({ timerCount, rssBytes: process.memoryUsage.rss(), longestBlockMs: delay.max / 1e6 });
  delay.reset();
});
process.channel?.unref();
