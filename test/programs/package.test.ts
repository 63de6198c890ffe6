import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile, symlink } from 'node:fs/promises';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

import { ChildCommand } from '../support/child.js';
import { eventually, isInstalled, temporaryFolder } from '../support/programs.js';

const root = path.resolve(import.meta.dirname, '../..');
const readJson = async (file: string): Promise<unknown> => JSON.parse(await readFile(file, 'utf8'));

/** Its output; the test fails when it fails. */
function run(program: string, args: readonly string[], { cwd = root, binaries = '' } = {}): string {
  const env = { PATH: `${binaries}:${process.env['PATH'] ?? ''}`, HOME: '/nonexistent' };
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env, encoding: 'utf8' });
  expect({ args, status, stderr: status === 0 ? '' : stderr }).toEqual({ args, status: 0, stderr: '' });
  return stdout;
}

describe('the package', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let tarball = '';
  beforeAll(async () => {
    folder = await temporaryFolder();
    // The bundle is built already; to build it again would pull it from under other tests.
    const cache = ['--cache', path.join(folder.path, 'cache')];
    run('node', ['scripts/package.mjs', ...cache, '--pack-destination', folder.path]);
    const [file = ''] = (await readdir(folder.path)).filter((name) => name.endsWith('.tgz'));
    tarball = path.join(folder.path, file);
    const offline = ['--offline', '--no-audit', '--no-fund', ...cache];
    run('npm', ['install', '--prefix', folder.path, ...offline, tarball]);
  });
  afterAll(() => folder[Symbol.asyncDispose]());

  it('the package needs no other package, and holds the bundle with licences and nothing else', async () => {
    const lock = await readJson(path.join(folder.path, 'package-lock.json'));
    expect(Object.keys((lock as { packages: object }).packages)).toEqual([
      '',
      'node_modules/ephemeral-storage-exporter',
    ]);
    const files = run('tar', ['-tzf', tarball]).trim().split('\n').sort();
    const others = files.filter((name) => !/^package\/dist\/[^/]+\.(js|css|sh)$/.test(name));
    expect(others).toEqual([
      'package/LICENSE',
      'package/README.md',
      'package/dist/THIRD-PARTY-LICENCES.txt',
      'package/dist/openapi.json',
      'package/dist/sbom.cdx.json',
      'package/package.json',
    ]);
    const api = 'node_modules/ephemeral-storage-exporter/dist/openapi.json';
    const document = await readJson(path.join(root, 'src/people/status/openapi.json'));
    expect(await readFile(path.join(folder.path, api), 'utf8')).toBe(JSON.stringify(document));
  });

  it('the package has the package.json of the checkout without what only a checkout needs', async () => {
    const own = (await readJson(path.join(root, 'package.json'))) as Record<string, unknown>;
    const published = await readJson(path.join(folder.path, 'node_modules/ephemeral-storage-exporter/package.json'));
    const dropped = ['private', 'scripts', 'dependencies', 'devDependencies', 'overrides'];
    expect(published).toEqual(Object.fromEntries(Object.entries(own).filter(([field]) => !dropped.includes(field))));
  });

  it('the package installs the commands, which know their version and run the demo', async () => {
    const { version } = (await readJson(path.join(root, 'package.json'))) as { version: string };
    const binaries = path.join(folder.path, 'node_modules/.bin');
    expect(run('ephemeral-storage-exporter', ['--version'], { cwd: folder.path, binaries })).toContain(version);
    await using demo = new ChildCommand(['demo', '--web.listen-address', '127.0.0.1:0'], {
      program: path.join(binaries, 'ephemeral-storage-exporter'),
    });
    const port = await demo.printed(/exporter +https?:\/\/localhost:(\d+)\n/);
    const text = await eventually('series', async () => {
      const body = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      return body.includes('ephemeral_storage_workload_used_bytes{') ? body : undefined;
    });
    expect(text).toContain('ephemeral_storage_node_data_available{');
    const page = await fetch(`http://127.0.0.1:${port}/`, { headers: { accept: 'text/html' } });
    expect(await page.text()).toContain('<html');
    const answers = [
      page,
      ...(await Promise.all(['api/v1/status', 'livez'].map((name) => fetch(`${page.url}${name}`)))),
    ];
    expect(answers.map(({ headers }) => headers.get('content-type'))).toEqual([
      'text/html; charset=utf-8',
      'application/json; charset=utf-8',
      'text/plain; charset=utf-8',
    ]);
  });

  it.skipIf(!isInstalled('kubectl'))('the package is a plugin of kubectl by its name (needs kubectl)', async () => {
    const binaries = path.join(folder.path, 'node_modules/.bin');
    await using cluster = new ChildCommand(['simulate']);
    const kubeconfig = await cluster.printed(/kubeconfig +(\S+)\n/);
    const args = ['ephemeral-storage', 'top', '--kubeconfig', kubeconfig, '-A', '--limit', '2'];
    expect(run('kubectl', args, { binaries })).toMatch(/^NAMESPACE +POD +NODE +USED/);
  });

  it('the package is installed by krew as the manifest says, which names its bytes', async () => {
    const manifest = parse(run('node', ['scripts/krew-manifest.mjs', tarball])) as {
      readonly metadata: { readonly name: string };
      readonly spec: {
        readonly version: string;
        readonly platforms: readonly {
          readonly uri: string;
          readonly sha256: string;
          readonly bin: string;
          readonly files: readonly { readonly from: string; readonly to: string }[];
        }[];
      };
    };
    const { metadata, spec } = manifest;
    const [platform] = spec.platforms;
    if (platform === undefined) throw new Error('no platform');
    expect([metadata.name, path.basename(platform.uri)]).toEqual(['ephemeral-storage', path.basename(tarball)]);
    expect(platform.sha256).toBe(
      createHash('sha256')
        .update(await readFile(tarball))
        .digest('hex'),
    );
    // What krew does: unpack, move the files, link the program under the name that kubectl looks for.
    await using krew = await temporaryFolder();
    run('tar', ['-xzf', tarball, '-C', krew.path]);
    expect(platform.files).toEqual([{ from: 'package/*', to: '.' }]);
    const plugin = path.join(krew.path, 'kubectl-ephemeral_storage');
    await symlink(path.join(krew.path, 'package', platform.bin), plugin);
    expect(run(plugin, ['--version'])).toContain(spec.version.slice(1));
  });
});
