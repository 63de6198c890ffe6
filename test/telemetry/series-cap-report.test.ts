import { describe, expect, it } from 'vitest';

import type { Logger } from '../../src/base/logger.js';
import { SeriesCapReport, type SeriesCapResult } from '../../src/telemetry/series-cap-report.js';

function aReport() {
  const lines: string[] = [];
  const dropped: [string, number][] = [];
  const writerOf =
    (level: string): Logger['info'] =>
    (_message, { filter = '', families = '' } = {}) => {
      lines.push(`${level} ${String(filter)} ${String(families)}`);
    };
  const report = new SeriesCapReport({
    metrics: { seriesDropped: (reason, seriesCount) => dropped.push([reason, seriesCount]) },
    logger: { debug: writerOf('debug'), info: writerOf('info'), warn: writerOf('warn'), error: writerOf('error') },
  });
  const tell = (result: Partial<SeriesCapResult>): void => {
    report.capped({ filter: '', maxSeries: 10, families: [], seriesCount: 0, ...result });
  };
  return { report, lines, dropped, tell };
}

describe('SeriesCapReport', () => {
  it('logs when it begins, when other families are left out and when it ends, once each', () => {
    const { lines, tell } = aReport();
    tell({});
    tell({ families: ['a'], seriesCount: 5 });
    tell({ families: ['a'], seriesCount: 6 });
    tell({ families: ['a', 'b'], seriesCount: 9 });
    tell({});
    tell({ maxSeries: undefined });
    expect(lines).toEqual(['warn  a', 'warn  a,b', 'info  ']);
  });

  it('knows which families the last exposition without a filter left out', () => {
    const { report, tell } = aReport();
    expect(report.droppedFamilies).toEqual([]);
    tell({ families: ['a', 'b'], seriesCount: 5 });
    tell({ filter: 'collect[]=pod', families: ['c'], seriesCount: 1 });
    expect(report.droppedFamilies).toEqual(['a', 'b']);
    tell({});
    expect(report.droppedFamilies).toEqual([]);
  });

  it('counts the series of each exposition', () => {
    const { dropped, tell } = aReport();
    tell({});
    tell({ families: ['a'], seriesCount: 5 });
    tell({ families: ['a'], seriesCount: 6 });
    expect(dropped).toEqual([
      ['max_series', 5],
      ['max_series', 6],
    ]);
  });

  it('warns of no request with a filter, however many there are', () => {
    const { lines, dropped, tell } = aReport();
    tell({ families: ['a'], seriesCount: 5 });
    for (const filter of ['collect[]=pod', 'name[]=b']) tell({ filter, families: ['b'], seriesCount: 1 });
    tell({ filter: 'collect[]=node' });
    tell({ families: ['a'], seriesCount: 5 });
    expect(lines).toEqual(['warn  a', 'debug collect[]=pod b', 'debug name[]=b b']);
    expect(dropped).toHaveLength(4);
  });
});
