import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import { describe, expect, it } from 'vitest';

import { installLines, packageFacts } from '../support/install-lines.js';
import { objectsOf } from '../support/manifests/documents.js';
import { chartFolder, helmNames, renderChart } from '../support/manifests/helm.js';
import { canRender, renderOverlay, renderOwn } from '../support/manifests/kustomize.js';
import { exporterOf } from '../support/manifests/policies.js';
import { OciRegistry } from '../support/oci-registry.js';
import { isInstalled, temporaryFolder } from '../support/programs.js';

const root = path.resolve(import.meta.dirname, '../..');
const { version, owner, name } = packageFacts();
const [kubectlLine = '', helmLine = ''] = installLines();

/** Its output; in another process, while this one serves what it reads. */
async function run(program: string, args: readonly string[], home: string): Promise<string> {
  const env = { PATH: process.env['PATH'], HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
  return (await promisify(execFile)(program, args, { env, maxBuffer: 2 ** 26 })).stdout;
}

/** A repository with the manifests of this checkout, tagged as the release is. */
async function taggedRepository(folder: string): Promise<void> {
  for (const part of ['manifests', 'grafana'])
    await cp(path.join(root, part), path.join(folder, part), { recursive: true });
  const author = ['-c', 'user.name=test', '-c', 'user.email=test@example.com', '-c', 'commit.gpgsign=false'];
  const commands = [
    ['init', '--quiet'],
    ['add', '.'],
    [...author, 'commit', '--quiet', '-m', 'all'],
    ['tag', `v${version}`],
  ];
  for (const command of commands) await run('git', ['-C', folder, ...command], folder);
}

const words = (line: string): readonly string[] => line.replaceAll("'", '').split(' ');

describe.skipIf(!canRender() || !isInstalled('git'))(
  "the README's line for kubectl (needs kubectl 1.27 and git)",
  () => {
    it('applies the overlay of this version from a repository', async () => {
      await using folder = await temporaryFolder();
      await taggedRepository(folder.path);
      const url =
        words(kubectlLine).at(-1)?.replace(`https://github.com/${owner}/${name}`, `file://${folder.path}`) ?? '';
      const objects = objectsOf(await run('kubectl', ['kustomize', url], folder.path), url);
      expect(objects).toEqual(renderOverlay('deployment'));
      expect(exporterOf(objects)['image']).toBe(`ghcr.io/${owner}/${name}:${version}`);
      // In a kustomization of a user.
      expect(renderOwn({ text: `resources: ['${url}']\nnamespace: observability\n` })).toHaveLength(objects.length);
    });
  },
);

describe.skipIf(!helmNames.every(isInstalled))("the README's line for Helm (needs helm3 and helm4)", () => {
  it.each(helmNames)('installs with %s the chart that the release pushes to a registry', async (helm) => {
    await using folder = await temporaryFolder();
    await using registry = await OciRegistry.start();
    await run(helm, ['package', chartFolder, '--destination', folder.path], folder.path);
    const archive = path.join(folder.path, `${name}-${version}.tgz`);
    await run(helm, ['push', '--plain-http', archive, `oci://${registry.host}/${owner}/charts`], folder.path);
    expect(registry.tags).toEqual([`${owner}/charts/${name}:${version}`]);

    const [, command, ...args] = words(helmLine.replace('ghcr.io', registry.host));
    expect(command).toBe('install');
    const out = await run(helm, ['template', ...args, '--plain-http'], folder.path);
    expect(objectsOf(out, helm)).toEqual(renderChart(helm, {}));
  });
});
