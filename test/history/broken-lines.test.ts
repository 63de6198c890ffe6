import { expect, it } from 'vitest';

import { linesOf, readLines } from '../../src/facts/history/eviction-lines.js';
import { toJson } from '../../src/lib/json/json.js';
import { evictionReport } from '../../src/people/report/eviction-report.js';
import { aLastUsage, anEvictionRecord } from '../support/eviction-builders.js';
import { aReading } from '../support/snapshot-builders.js';
import { aPage } from '../support/view-pages.js';

const mark = [...linesOf({ records: [], watched: [] })].join('');
const whole = JSON.parse(toJson(anEvictionRecord({ lastUsage: aLastUsage() }))) as unknown;

/** The value with each field of it in turn, however deep, as `change` makes it; undefined is no field. */
function* withEach(value: unknown, change: unknown): Generator {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    for (const changed of [change, ...withEach(inner, change)]) {
      yield Array.isArray(value) ? value.with(Number(key), changed) : { ...value, [key]: changed };
    }
  }
}

it.each([null, 'x', {}, [], -1, 1e300, undefined])(
  'a line whose fields are %j is left out or has a page',
  async (change) => {
    let keptCount = 0;
    for (const line of withEach(whole, change)) {
      const { records } = readLines(`${mark}\n${JSON.stringify(line)}`, Date.UTC(2030, 0));
      for (const record of records) {
        keptCount += 1;
        const reading = aReading({ evictions: [evictionReport(record)] });
        await aPage(reading, { kind: 'eviction', path: [record.uid] });
        await aPage(reading, { kind: 'evictions' });
      }
    }
    expect(keptCount).toBeGreaterThan(0);
  },
);
