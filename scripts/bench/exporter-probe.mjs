/**
 * Loaded into the exporter's process: answers its parent with what the process has used. Nothing here runs unasked, except
 * between `watch` and the next `read`, while the main thread's longest run without a turn of the event loop is measured.
 * `collect` leaves what is reachable.
 */
import { Buffer } from 'node:buffer';
import { openSync, readFileSync, readSync, writeFileSync } from 'node:fs';
import { PerformanceObserver } from 'node:perf_hooks';
import process from 'node:process';
import { clearInterval, setInterval } from 'node:timers';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Unlike wall time, what other programs of a loaded machine take is not in it. https://docs.kernel.org/scheduler/sched-stats.html */
const schedstat = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
const line = Buffer.alloc(64);
const garbage = { count: 0, ms: 0 };
let [longestNs, lastNs] = [0, 0];
let watching;
/** Of VmHWM. https://docs.kernel.org/filesystems/proc.html */
const resetPeak = '5';

function peakRssBytes() {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'latin1'))[1]) * 1_024;
}

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
  writeFileSync('/proc/self/clear_refs', resetPeak);
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
    peakRssBytes: peakRssBytes(),
    heapBytes: heapUsed,
    externalBytes: external,
    longestBlockMs: longestNs / 1e6,
    gcCount: garbage.count,
    gcMs: garbage.ms,
  };
}

/** Twice: what was compiled and is not used goes the second time. */
function collect() {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc');
  collectGarbage();
  collectGarbage();
}

const answers = { watch, read, collect };

process.on('message', (message) => {
  process.send({ result: answers[message]() ?? null });
});
process.channel?.unref();
