import { describe, expect, it } from 'vitest';

import type { SeriesCapResult } from '../../src/metrics/exposition/exposition.js';
import { MissingNodeReport, SeriesCapReport } from '../../src/metrics/telemetry/scrape-reports.js';
import { SelfMetrics } from '../../src/metrics/telemetry/self-metrics.js';
import { loggerOf, recordingLogger } from '../support/recording-logger.js';

function aReport() {
  const lines: string[] = [];
  const metrics = new SelfMetrics({ version: '', nodeVersion: '' });
  const report = new SeriesCapReport({
    metrics,
    logger: loggerOf((level, _message, { filter = '', families = '' } = {}) =>
      lines.push(`${level} ${String(filter)} ${String(families)}`),
    ),
  });
  const capped = (result: Partial<SeriesCapResult>): void => {
    report.capped({ filter: '', maxSeries: 10, families: [], seriesCount: 0, largePodsSeriesCount: 0, ...result });
  };
  return { report, lines, dropped: () => metrics.counters.seriesDropped.toRecord(), capped };
}

describe('SeriesCapReport', () => {
  it('logs once when dropping begins, when the families change and when it ends', () => {
    const { lines, capped } = aReport();
    capped({});
    capped({ families: ['a'], seriesCount: 5 });
    capped({ families: ['a'], seriesCount: 6 });
    capped({ families: ['a', 'b'], seriesCount: 9 });
    capped({});
    capped({ maxSeries: undefined });
    expect(lines).toEqual(['warn  a', 'warn  a,b', 'info  ']);
  });

  it('counts the series of each exposition', () => {
    const { dropped, capped } = aReport();
    capped({});
    capped({ families: ['a'], seriesCount: 5 });
    capped({ families: ['a'], seriesCount: 6, largePodsSeriesCount: 7 });
    expect(dropped()).toEqual({ max_series: 11, large_pods: 7 });
  });

  it('never warns of requests with a filter', () => {
    const { lines, dropped, capped } = aReport();
    capped({ families: ['a'], seriesCount: 5 });
    for (const filter of ['collect[]=pod', 'name[]=b']) capped({ filter, families: ['b'], seriesCount: 1 });
    capped({ filter: 'collect[]=node' });
    capped({ families: ['a'], seriesCount: 5 });
    expect(lines).toEqual(['warn  a', 'debug collect[]=pod b', 'debug name[]=b b']);
    expect(dropped()).toEqual({ max_series: 12, large_pods: 0 });
  });
});

it('logs each missing node once, and its return once', () => {
  const lines: string[] = [];
  const report = new MissingNodeReport(recordingLogger(lines));
  for (const missing of [undefined, 'a', 'a', 'b', undefined, undefined, 'b']) {
    report.scraped(missing, (nodeName) => `no ${nodeName}`);
  }
  expect(lines).toEqual([
    'warn: no a {"node":"a"}',
    'warn: no b {"node":"b"}',
    'info: the node to measure is no longer missing undefined',
    'warn: no b {"node":"b"}',
  ]);
});
