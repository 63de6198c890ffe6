import { expect, it } from 'vitest';

import type { Logger } from '../../src/base/logger.js';
import { MissingNodeReport } from '../../src/telemetry/missing-node-report.js';

it('logs each missing node once, and its return once', () => {
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
    'info: the node to measure is no longer missing undefined',
    'warn: no b {"node":"b"}',
  ]);
});
