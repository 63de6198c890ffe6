import { expect, it } from 'vitest';

import { MissingNodeReport } from '../../src/telemetry/missing-node-report.js';
import { recordingLogger } from '../support/recording-logger.js';

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
