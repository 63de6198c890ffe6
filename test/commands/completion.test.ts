import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { completionScript } from '../../src/commands/completion/completion-script.js';
import { shells } from '../../src/commands/completion/shells.js';
import { createProgram } from '../../src/commands/program.js';
import { aCommandContext } from '../support/command-context.js';
import { isInstalled } from '../support/programs.js';

const program = createProgram('ephemeral-storage-exporter', aCommandContext().context);

/** What bash offers for the line. */
function offeredByBash(line: string): readonly string[] {
  const script = `${completionScript('bash', program)}
COMP_WORDBREAKS=$' \\t\\n"\\'><=;|&(:'
COMP_LINE=$1
COMP_POINT=\${#1}
_ephemeral_storage_exporter
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['-u', '-c', script, 'bash', `ephemeral-storage-exporter ${line}`], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return stdout.split('\n').filter((word) => word !== '');
}

describe.skipIf(!isInstalled('bash'))('bash completes', () => {
  it.each([
    ['to', ['top']],
    ['top po', ['pods']],
    ['top pods --con', ['--context', '--config.file']],
    ['--context x to', ['top']],
    ['--context x top n', ['nodes']],
    ['top --output js', ['json']],
    ['explain w', ['workload']],
    ['serve --log.level d', ['debug']],
    ['completion z', ['zsh']],
    ['top --set kubelet.access=', ['direct', 'proxy']],
    ['top --set cache.tt', ['cache.ttl=']],
    ['top -o w', ['wide']],
    ['top pods no', []],
    ['top --limit ', []],
  ])('"%s" with %j', (line, offered) => {
    expect(offeredByBash(line)).toEqual(offered);
  });

  it('commands first', () => {
    expect(offeredByBash('')).toEqual(program.commands.map((command) => command.name()));
  });
});

describe.each(shells)('the script for %s', (shell) => {
  const script = completionScript(shell, program);

  it('has every command and every flag', () => {
    for (const command of program.commands) expect(script).toContain(command.name());
    const flags = program.commands.flatMap(({ options }) => options.map(({ long }) => long ?? ''));
    for (const flag of flags) expect(script).toContain(shell === 'fish' ? `-l ${flag.slice(2)} ` : flag);
  });

  it.skipIf(!isInstalled(shell))('is valid', async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'completion-'));
    try {
      const file = path.join(directory, 'script');
      await writeFile(file, script);
      const { status, stderr } = spawnSync(shell, ['-n', file], { encoding: 'utf8' });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});
