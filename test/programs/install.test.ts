import { cp } from 'node:fs/promises';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { installLines, packageFacts } from '../support/install-lines.js';
import { objectsOf } from '../support/manifests/documents.js';
import { helmNames, renderChart } from '../support/manifests/helm.js';
import { canRender, renderOverlay, renderOwn } from '../support/manifests/kustomize.js';
import { exporterOf } from '../support/manifests/policies.js';
import { isInstalled, temporaryFolder } from '../support/programs.js';
import { PushedChart, runIn, wordsOf } from '../support/pushed-chart.js';

const root = path.resolve(import.meta.dirname, '../..');
const { version, owner, name } = packageFacts();
const [kubectlLine = ''] = installLines();

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
      const objects = objectsOf(await runIn(folder.path, 'kubectl', ['kustomize', url]), url);
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
    await using pushed = await PushedChart.push(helm, folder.path);
    expect(pushed.tags).toEqual([`${owner}/charts/${name}:${version}`]);
    // The release signs what `sed -n 's/^Digest: //p'` finds.
    expect(/^Digest: (.*)$/m.exec(pushed.output)?.[1]).toBe(pushed.digest);

    const [command, ...args] = pushed.installArguments;
    expect(command).toBe('install');
    const out = await runIn(folder.path, helm, ['template', ...args]);
    expect(objectsOf(out, helm)).toEqual(renderChart(helm, {}));
  });
});
