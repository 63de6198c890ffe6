/**
 * Loaded into the exporter's process: answers its parent with what the process has used. Nothing here runs unasked, except
 * between `watch` and the next `read`, while the main thread's longest run without a turn of the event loop is measured.
 */
import { Buffer } from 'node:buffer';
import { openSync, readSync } from 'node:fs';
import { PerformanceObserver } from 'node:perf_hooks';
import process from 'node:process';
import { clearInterval, setInterval } from 'node:timers';

/** Unlike wall time, what other programs of a loaded machine take is not in it. https://docs.kernel.org/scheduler/sched-stats.html */
const schedstat = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
const line = Buffer.alloc(64);
const garbage = { count: 0, ms: 0 };
let [longestNs, lastNs] = [0, 0];
let watching;

function ranNs() {
  const length = readSync(schedstat, line, 0, line.length, 0);
  return Number(line.toString('latin1', 0, length).split(' ')[0]);
}

function turned() {
  const nowNs = ranNs();
  longestNs = Math.max(longestNs, nowNs - lastNs);
  lastNs = nowNs;
}

new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) {
    garbage.count += 1;
    garbage.ms += duration;
  }
}).observe({ entryTypes: ['gc'] });

function watch() {
  clearInterval(watching);
  longestNs = 0;
  lastNs = ranNs();
  watching = setInterval(turned, 1);
}

function read() {
  if (watching !== undefined) turned();
  clearInterval(watching);
  watching = undefined;
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed, external } = process.memoryUsage();
  return {
    cpuMs: (user + system) / 1_000,
    rssBytes: rss,
    heapBytes: heapUsed,
    externalBytes: external,
    longestBlockMs: longestNs / 1e6,
    gcCount: garbage.count,
    gcMs: garbage.ms,
  };
}

process.on('message', (message) => {
  if (message === 'watch') watch();
  process.send({ result: message === 'watch' ? null : read() });
});
process.channel?.unref();
