import { spawnSync } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from 'vitest';

import { runArguments } from '../../src/commands/command-line.js';
import { shims } from '../../src/commands/completion-shims.js';
import { createProgram } from '../../src/commands/program.js';
import { aCommandContext } from '../support/command-context.js';
import { isInstalled, temporaryFolder } from '../support/programs.js';

const program = createProgram('ephemeral-storage-exporter', aCommandContext().context);

/** The candidates for the last word that begin with it; undefined where shells offer the names of files. */
async function offered(line: string): Promise<readonly string[] | undefined> {
  const { context, out } = aCommandContext();
  const words = line.split(' ');
  const status = await runArguments(['__complete', ...words], context);
  const candidates = out()
    .split('\n')
    .map((candidate) => candidate.replace(/\t.*/, ''))
    .filter((word) => word !== '');
  if (status !== 0) expect([status, candidates]).toEqual([1, []]);
  return status === 0 ? candidates.filter((candidate) => candidate.startsWith(words.at(-1) ?? '')) : undefined;
}

describe('completion', () => {
  it.each([
    ['to', ['top']],
    ['top po', ['pods']],
    ['top pods --con', ['--context', '--config.file', '--containers']],
    ['--context x to', ['top']],
    ['--context x top n', ['next', 'nodes']],
    ['top --output js', ['json']],
    ['--log.level d', ['debug']],
    ['explain w', ['workload']],
    ['serve --log.level d', ['debug']],
    ['completion z', ['zsh']],
    ['top --set kubelet.access=', ['kubelet.access=direct', 'kubelet.access=proxy']],
    ['top --set cache.tt', ['cache.ttl=']],
    ['top -o w', ['wide']],
    ['top -n=shop no', ['nodes']],
    ['top pods no', []],
    ['explain pod ', []],
    ['tpo ', []],
    ['top --limit ', undefined],
    ['top --output=j', ['--output=json']],
    ['top -o=w', ['-o=wide']],
    ['top --set=kubelet.access=p', ['--set=kubelet.access=proxy']],
    ['top --kubeconfig=', undefined],
    ['top --sort-by r', ['ratio', 'rule', 'rootfs', 'request']],
    ['top nodes --sort-by=h', ['--sort-by=headroom']],
    ['top planets --sort-by ', []],
    ['top --kubeconfig ', undefined],
  ])('the completion of "%s" offers %j', async (line, candidates) => {
    expect(await offered(line)).toEqual(candidates);
  });

  it('the completion of the first word offers the commands', async () => {
    expect(await offered('')).toEqual(program.commands.map((command) => command.name()));
  });

  it.each(program.commands.map((command) => [command.name(), command] as const))(
    'the completion of a flag of %s offers all its flags',
    async (name, { options }) => {
      const flags = options.flatMap(({ short, long }) => [short ?? [], long ?? []].flat());
      expect(await offered(`${name} -`)).toEqual([...flags, '-h', '--help']);
    },
  );
});

describe.skipIf(!isInstalled('bash'))('bash', () => {
  it('bash offers what the program completes', async () => {
    await using folder = await temporaryFolder();
    const command = path.join(folder.path, 'ephemeral-storage-exporter');
    const cli = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));
    await writeFile(command, `#!/bin/sh\nexec '${process.execPath}' --import tsx '${cli}' "$@"\n`);
    await chmod(command, 0o755);
    const script = `${shims.bash}
COMP_WORDBREAKS=$' \\t\\n"\\'><=;|&(:'
for COMP_LINE in "$@"; do
  COMP_POINT=\${#COMP_LINE}
  _ephemeral_storage_exporter
  echo "\${COMPREPLY[*]}"
done`;
    const lines = ['top pods --con', 'top --set kubelet.access=', 'top --limit '];
    const typed = lines.map((line) => `ephemeral-storage-exporter ${line}`);
    const { stdout, stderr } = spawnSync('bash', ['-u', '-c', script, 'bash', ...typed], {
      encoding: 'utf8',
      env: { ...process.env, PATH: `${folder.path}${path.delimiter}${process.env['PATH'] ?? ''}` },
    });
    expect({ stdout, stderr }).toEqual({
      stdout: '--context --config.file --containers\ndirect proxy\n\n',
      stderr: '',
    });
  });
});

describe.each(Object.entries(shims))('completion %s', (shell, script) => {
  it('the script for a shell is what the command prints', async () => {
    const { context, out } = aCommandContext();
    await runArguments(['completion', shell], context);
    expect(out()).toBe(script);
  });

  it.skipIf(!isInstalled(shell))('the script for a shell is valid', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'script');
    await writeFile(file, script);
    const { status, stderr } = spawnSync(shell, ['-n', file], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});
