import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { expect, it } from 'vitest';
import { parse } from 'yaml';

import { readProjectFile } from '../support/install-lines.js';
import { at } from '../support/manifests/documents.js';
import { temporaryFolder } from '../support/programs.js';
import { describeInEachPrometheus } from '../support/prometheus-versions.js';

describeInEachPrometheus('promtool', ({ promtool }) => {
  it('the collector accepts the scrape configuration of the page about OpenTelemetry', async () => {
    const [, block = ''] = /```yaml\n([^]*?)```/.exec(readProjectFile('docs/opentelemetry.md')) ?? [];
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'prometheus.yaml');
    await writeFile(file, JSON.stringify(at(parse(block), 'receivers', 'prometheus', 'config')));
    expect(spawnSync(promtool, ['check', 'config', file], { encoding: 'utf8' })).toMatchObject({ status: 0 });
  });
});
