import { describe, expect, it } from 'vitest';

import { type SeriesCapResult, SeriesCapReport } from '../../src/telemetry/series-cap-report.js';
import type { Logger } from '../../src/telemetry/logger.js';

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
  return { lines, dropped, tell };
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

  it('takes expositions with different filters for different ones', () => {
    const { lines, tell } = aReport();
    for (let turn = 0; turn < 3; turn += 1) {
      tell({ families: ['a'], seriesCount: 5 });
      tell({ filter: 'collect[]=pod' });
    }
    tell({ filter: 'collect[]=pod', families: ['b'], seriesCount: 1 });
    tell({ filter: 'collect[]=pod' });
    expect(lines).toEqual(['warn  a', 'warn collect[]=pod b', 'info collect[]=pod ']);
  });

  it('remembers a bounded number of filters: the one that began longest ago is forgotten', () => {
    const { lines, tell } = aReport();
    for (let index = 0; index <= 100; index += 1) tell({ filter: `f${index}`, families: ['a'], seriesCount: 1 });
    tell({ filter: 'f1', families: ['a'], seriesCount: 1 });
    expect(lines).toHaveLength(101);
    tell({ filter: 'f0', families: ['a'], seriesCount: 1 });
    expect(lines).toHaveLength(102);
  });
});
