import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

import { installLines, packageFacts, readProjectFile } from '../support/install-lines.js';
import { at, type Json, listAt, readObjects } from '../support/manifests/documents.js';
import { workloadsOf } from '../support/manifests/policies.js';

const root = path.resolve(import.meta.dirname, '../..');
const { version, owner, name } = packageFacts();
const image = `ghcr.io/${owner}/${name}`;
const overlay = 'manifests/overlays/deployment';
const kubectlLine = `kubectl apply -k 'https://github.com/${owner}/${name}//${overlay}?ref=v${version}'`;
const chart = `oci://ghcr.io/${owner}/charts/${name}`;
const helmLine = `helm install ${name} ${chart} --version ${version} -n ${name} --create-namespace`;

const releases = `https://github.com/${owner}/${name}/releases`;

const readYaml = (file: string): unknown => parse(readProjectFile(file));
const release = readYaml('.github/workflows/release.yml');

function releaseStep(job: string, stepName: string): Json {
  const step = listAt(release, 'jobs', job, 'steps').find((candidate) => candidate['name'] === stepName);
  if (step === undefined) throw new Error(`release.yml has no step: ${stepName}`);
  return step;
}

it('the installation begins in the README with kubectl by URL and Helm by OCI reference, of this version', () => {
  expect(installLines()).toEqual([kubectlLine, helmLine]);
  expect(existsSync(path.join(root, overlay, 'kustomization.yaml'))).toBe(true);
  expect(readYaml(`charts/${name}/Chart.yaml`)).toMatchObject({ name, version, appVersion: version });
});

it.each([
  ['docs/operate.md', [kubectlLine, helmLine, `${releases}/download/v${version}/ephemeral-storage.yaml`]],
  ['manifests/README.md', [kubectlLine]],
  ['mixin/README.md', [`/${name}@v${version}\n`]],
  [`charts/${name}/README.md`, [`helm install ${name} ${chart} --version ${version} `]],
])('the installation is the same in %s', (page, lines) => {
  expect(lines.filter((line) => !readProjectFile(page).includes(line))).toEqual([]);
});

it.each(['README.md', 'docs/operate.md', 'manifests/README.md', `charts/${name}/README.md`])(
  '%s marks a version as not released for as long as the changelog has no such version',
  (page) => {
    const isReleased = readProjectFile('CHANGELOG.md').includes(`\n## [${version}]`);
    expect(/ is not released yet\b/.test(readProjectFile(page))).toBe(!isReleased);
  },
);

describe('the image', () => {
  it('the image has one name in the manifests, the chart and the release, that of the repository', () => {
    const [entry] = listAt(readYaml('manifests/base/pod/kustomization.yaml'), 'images');
    const [container] = workloadsOf(readObjects('base/pod/pod.yaml'))[0]?.containers ?? [];
    expect(entry).toEqual({ name: container?.['image'], newName: image, newTag: version });
    expect(at(readYaml(`charts/${name}/values.yaml`), 'image', 'repository')).toBe(image);
    expect(at(release, 'env', 'IMAGE')).toBe('ghcr.io/${{ github.repository }}');
    expect(readProjectFile('Dockerfile')).toContain(`image.source="https://github.com/${owner}/${name}"`);
  });

  it('the image is not released under a name that the manifests and the chart do not have', () => {
    const { run } = releaseStep('checks', 'The manifests and the chart name the image that is published');
    const statusFor = (published: string): number | null =>
      spawnSync('bash', ['-e', '-c', String(run)], { cwd: root, env: { ...process.env, IMAGE: published } }).status;
    expect(statusFor(image)).toBe(0);
    expect(statusFor('ghcr.io/fork/ephemeral-storage-exporter')).toBe(1);
  });

  it('the chart is published where the installation takes it from', () => {
    const pushes = listAt(release, 'jobs', 'chart', 'steps').map(({ run }) => String(run));
    expect(pushes.join('\n')).toContain('"oci://ghcr.io/$GITHUB_REPOSITORY_OWNER/charts"');
  });
});
