import { expect, it } from 'vitest';

import type { Logger } from '../../src/base/logger.js';
import { MissingNodeReport } from '../../src/telemetry/missing-node-report.js';

it('tells once of each node that is missing, and once that none is any more', () => {
  const lines: string[] = [];
  const log =
    (level: string): Logger['info'] =>
    (message, fields) => {
      lines.push(`${level}: ${message} ${JSON.stringify(fields)}`);
    };
  const report = new MissingNodeReport({
    debug: log('debug'),
    info: log('info'),
    warn: log('warn'),
    error: log('error'),
  });
  for (const missing of [undefined, 'a', 'a', 'b', undefined, undefined, 'b']) {
    report.scraped(missing, (nodeName) => `no ${nodeName}`);
  }
  expect(lines).toEqual([
    'warn: no a {"node":"a"}',
    'warn: no b {"node":"b"}',
    'info: no node to measure is missing any more undefined',
    'warn: no b {"node":"b"}',
  ]);
});
