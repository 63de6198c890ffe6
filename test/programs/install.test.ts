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
async function runIn(home: string, program: string, args: readonly string[]) {
  const env = { PATH: process.env['PATH'], HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
  return promisify(execFile)(program, args, { env, maxBuffer: 2 ** 26 });
}

/** The words of a shell command that quotes at most whole words. */
const wordsOf = (line: string): readonly string[] => line.replaceAll("'", '').split(' ');

/** A repository with the manifests of this checkout, tagged as the release is. */
async function taggedRepository(folder: string): Promise<void> {
  for (const part of ['manifests', 'charts'])
    await cp(path.join(root, part), path.join(folder, part), { recursive: true });
  const author = ['-c', 'user.name=test', '-c', 'user.email=test@example.com', '-c', 'commit.gpgsign=false'];
  const commands = [
    ['init', '--quiet'],
    ['add', '.'],
    [...author, 'commit', '--quiet', '-m', 'all'],
    ['tag', `v${version}`],
  ];
  for (const command of commands) await runIn(folder, 'git', ['-C', folder, ...command]);
}

describe.skipIf(!canRender() || !isInstalled('git'))(
  "the README's line for kubectl (needs kubectl 1.27 and git)",
  () => {
    it("the README's line for kubectl applies the overlay of this version from a repository", async () => {
      await using folder = await temporaryFolder();
      await taggedRepository(folder.path);
      const url =
        wordsOf(kubectlLine).at(-1)?.replace(`https://github.com/${owner}/${name}`, `file://${folder.path}`) ?? '';
      const { stdout } = await runIn(folder.path, 'kubectl', ['kustomize', url]);
      const objects = objectsOf(stdout, url);
      expect(objects).toEqual(renderOverlay('deployment'));
      expect(exporterOf(objects)['image']).toBe(`ghcr.io/${owner}/${name}:${version}`);
      // In a kustomization of a user.
      expect(renderOwn({ text: `resources: ['${url}']\nnamespace: observability\n` })).toHaveLength(objects.length);
    });
  },
);

describe.skipIf(!helmNames.every(isInstalled))("the README's line for Helm (needs helm3 and helm4)", () => {
  it.each(helmNames)("the README's line for Helm renders with %s the released chart", async (helm) => {
    await using folder = await temporaryFolder();
    await using registry = await OciRegistry.start();
    const run = (...args: readonly string[]) => runIn(folder.path, helm, args);
    await run('package', chartFolder, '--destination', folder.path);
    const archive = path.join(folder.path, `${name}-${version}.tgz`);
    const pushed = await run('push', '--plain-http', archive, `oci://${registry.host}/${owner}/charts`);
    expect(registry.tags).toEqual([`${owner}/charts/${name}:${version}`]);
    // The release signs what `sed -n 's/^Digest: //p'` finds.
    const [, digest] = /^Digest: (.*)$/m.exec(pushed.stdout + pushed.stderr) ?? [];
    expect(digest).toBe(registry.digestOf(`${owner}/charts/${name}`, version));

    const [, command, ...args] = wordsOf(helmLine.replace(/(?<=oci:\/\/)[^/]+/, registry.host));
    expect(command).toBe('install');
    const { stdout: out } = await run('template', ...args, '--plain-http');
    expect(objectsOf(out, helm)).toEqual(renderChart(helm, {}));
  });
});
