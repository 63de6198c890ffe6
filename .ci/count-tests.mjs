// Adds up the counts of vitest's JSON reports, after the names of the tests that passed at their second try; fails when a report
// counts no test or a failed one.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';

const totals = { passed: 0, failed: 0, skipped: 0 };
const retried = [];
for (const file of process.argv.slice(2)) {
  const report = JSON.parse(readFileSync(file, 'utf8'));
  if (report.numTotalTests === 0) throw new Error(`${file} counts no test`);
  totals.passed += report.numPassedTests;
  totals.failed += report.numFailedTests;
  totals.skipped += report.numPendingTests + report.numTodoTests;
  retried.push(...retriedTests(report).map((name) => `retried: ${path.basename(file, '.json')}: ${name}\n`));
}
if (process.argv.length <= 2) throw new Error('no report given');
process.stdout.write(retried.join(''));
process.stdout.write(`tests: ${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped\n`);
process.exitCode = totals.failed === 0 ? 0 : 1;

/** The report does not count tries, but a test that has passed keeps the errors of its former ones. */
function retriedTests({ testResults }) {
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status, failureMessages }) => status === 'passed' && failureMessages.length > 0)
      .map(({ ancestorTitles, title }) => [path.relative('', name), ...ancestorTitles, title].join(' > ')),
  );
}
