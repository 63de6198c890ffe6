import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

import { familyTable } from '../../src/exposition/families.js';
import { readProjectFile } from '../support/install-lines.js';
import { at, isObject } from '../support/manifests/documents.js';

const page = readProjectFile('docs/opentelemetry.md');
const [, block = ''] = /```yaml\n([^]*?)```/.exec(page) ?? [];
const config: unknown = parse(block);
const families = familyTable([]);

const namesIn = (cells: readonly string[]): readonly string[] =>
  cells.flatMap((cell) => Array.from(cell.matchAll(/`(\w+)(?:="\w+")?`/g), ([, name = '']) => name));

describe('the page about OpenTelemetry', () => {
  it('the page about OpenTelemetry names families that exist', () => {
    const [, table = ''] = /<!-- families:begin -->([^]*)<!-- families:end -->/.exec(page) ?? [];
    const named = namesIn(Array.from(table.matchAll(/^\| (`[^|]+)\|/gm), ([, cell = '']) => cell));
    const known = families.map(({ name }) => name);
    expect(named.length).toBeGreaterThan(15);
    expect(named.filter((name) => !known.includes(`ephemeral_storage_${name}`))).toEqual([]);
  });

  it('the page about OpenTelemetry names labels that families have', () => {
    const [, section = ''] = /^## Labels$([^]*)^## Metrics$/m.exec(page) ?? [];
    const named = namesIn(Array.from(section.matchAll(/^\| (`[^|]+)\|/gm), ([, cell = '']) => cell));
    const known = new Set(families.flatMap(({ labels }) => labels));
    expect(named.length).toBeGreaterThan(7);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });

  it('the page about OpenTelemetry has a configuration whose pipeline names what it defines', () => {
    const pipeline = at(config, 'service', 'pipelines', 'metrics/ephemeral-storage');
    for (const kind of ['receivers', 'processors', 'exporters']) {
      const defined = at(config, kind);
      expect(at(pipeline, kind)).toEqual(isObject(defined) ? Object.keys(defined) : []);
    }
  });

  it('the page about OpenTelemetry renames existing labels and families, and groups by the attributes set', () => {
    const list = at(config, 'processors', 'transform/kubernetes', 'metric_statements');
    const statements = Array.isArray(list) ? list.join('\n') : '';
    const renamed = Array.from(
      statements.matchAll(/set\(datapoint\.attributes\["([^"]+)"\], datapoint\.attributes\["(\w+)"\]\)/g),
    );
    const removed = Array.from(
      statements.matchAll(/delete_key\(datapoint\.attributes, "(\w+)"\)/g),
      ([, label]) => label,
    );
    expect(renamed.map(([, attribute]) => attribute)).toEqual(
      at(config, 'processors', 'groupbyattrs/kubernetes', 'keys'),
    );
    expect(renamed.map(([, , label]) => label)).toEqual(removed);
    for (const [, attribute = '', label = ''] of renamed) {
      expect(page).toMatch(
        new RegExp(String.raw`^\| \`${label}\` +\| \`${attribute.replaceAll('.', String.raw`\.`)}\``, 'm'),
      );
    }
    const [, metric = '', family = ''] =
      /set\(metric\.name, "([\w.]+)"\) where metric\.name == "ephemeral_storage_(\w+)"/.exec(statements) ?? [];
    expect(page).toMatch(
      new RegExp(String.raw`^\| \`${family}\` +\| \`${metric.replaceAll('.', String.raw`\.`)}\``, 'm'),
    );
  });
});
