import { spawnSync } from 'node:child_process';

import { describe, expect, it } from 'vitest';

import { triedVersions } from '../../scripts/versions-table.js';
import { isInstalled } from '../support/programs.js';

const versionsOf = (program: string): readonly string[] =>
  triedVersions().find((row) => row.program === program)?.versions ?? [];

interface Built {
  readonly program: string;
  readonly args: readonly string[];
  readonly versions: readonly string[];
  /** Another program that is built with it, because the system may have one of the same name. */
  readonly beside?: string;
}

const built: readonly Built[] = [
  { program: 'kubectl', args: ['version', '--client'], versions: versionsOf('kubectl'), beside: 'prometheus3' },
  { program: 'helm3', args: ['version', '--short'], versions: versionsOf('Helm').slice(0, 1) },
  { program: 'helm4', args: ['version', '--short'], versions: versionsOf('Helm').slice(1) },
  { program: 'prometheus-operator', args: ['--version'], versions: versionsOf('Prometheus Operator') },
  { program: 'prometheus3', args: ['--version'], versions: versionsOf('Prometheus and promtool').slice(1) },
];

function output(program: string, args: readonly string[]): string {
  const { stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  return `${stdout}${stderr}`;
}

describe('the page about versions', () => {
  for (const { program, args, versions, beside = program } of built) {
    it.skipIf(!isInstalled(program) || !isInstalled(beside))(`${program} is that of the page (needs ${beside})`, () => {
      const [version = 'none'] = versions;
      expect(output(program, args)).toMatch(new RegExp(String.raw`\bv?${version.replaceAll('.', String.raw`\.`)}\b`));
    });
  }

  it.skipIf(!isInstalled('prometheus'))(
    'the page about versions has the major version of the Prometheus of the system (needs prometheus)',
    () => {
      expect(output('prometheus', ['--version'])).toMatch(/version 2\.(?:4[2-9]|[5-9]\d)\./);
    },
  );
});
