// Adds up the counts of vitest's JSON reports; fails when a report counts no test or a failed one.
import { readFileSync } from 'node:fs';
import process from 'node:process';

const totals = { passed: 0, failed: 0, skipped: 0 };
for (const file of process.argv.slice(2)) {
  const report = JSON.parse(readFileSync(file, 'utf8'));
  if (report.numTotalTests === 0) throw new Error(`${file} counts no test`);
  totals.passed += report.numPassedTests;
  totals.failed += report.numFailedTests;
  totals.skipped += report.numPendingTests + report.numTodoTests;
}
if (process.argv.length <= 2) throw new Error('no report given');
process.stdout.write(`tests: ${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped\n`);
process.exitCode = totals.failed === 0 ? 0 : 1;
