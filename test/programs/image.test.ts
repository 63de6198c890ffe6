import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { SimulatedCluster } from '../../sim/cluster.js';
import { emptyScenario } from '../../sim/model/scenario.js';
import { ChildCommand } from '../support/child.js';
import { leastRules } from '../support/exporter.js';
import { BuiltImage, canBuildImages, type ImageRun } from '../support/image/built-image.js';
import { packageFacts, readProjectFile } from '../support/install-lines.js';
import { eventually, temporaryFolder } from '../support/programs.js';

const { version, owner, name } = packageFacts();
const built = { VERSION: '7.8.9', REVISION: '0123456789abcdef0123456789abcdef01234567' };

/** "adds 3.4 MB (0.8 MB compressed) to its base" */
function documentedBytes(): { readonly bytes: number; readonly compressedBytes: number } {
  const found = /adds ([\d.]+) MB \(([\d.]+) MB compressed\)\s+to its base/.exec(readProjectFile('docs/operate.md'));
  const [bytes = NaN, compressedBytes = NaN] = found?.slice(1).map((figure) => Number(figure) * 1e6) ?? [];
  return { bytes, compressedBytes };
}

describe.skipIf(!canBuildImages())('the image (needs root, buildah and mount namespaces)', () => {
  let image: BuiltImage;
  beforeAll(async () => {
    image = await BuiltImage.build(built);
  });
  afterAll(() => image[Symbol.asyncDispose]());

  /** Its output; the test fails when it fails. */
  const run = async (args: readonly string[], options?: ImageRun): Promise<string> => {
    const [program = '', ...words] = image.launcher(options);
    return (await promisify(execFile)(program, [...words, ...args])).stdout.trim();
  };

  it('the image holds the production bundle with licences and a bill of materials, and nothing else', () => {
    const { names } = image.added;
    const others = names.filter((file) => !/^app\/dist\/[^/]+\.js$/.test(file));
    expect(others).toEqual([
      'app/LICENSE',
      'app/dist/THIRD-PARTY-LICENCES.txt',
      'app/dist/openapi.json',
      'app/dist/page.css',
      'app/dist/sbom.cdx.json',
      'app/dist/walk-container.sh',
      'app/dist/walk-node.sh',
      'app/package.json',
    ]);
    expect(names).toContain('app/dist/cli.js');
  });

  it('the image adds as much to its base as the docs say, by a fifth more or less', () => {
    const { bytes, compressedBytes } = image.added;
    const documented = documentedBytes();
    const figures = JSON.stringify({ bytes, compressedBytes });
    expect(Math.abs(bytes / documented.bytes - 1), figures).toBeLessThan(0.2);
    expect(Math.abs(compressedBytes / documented.compressedBytes - 1), figures).toBeLessThan(0.2);
  });

  it('the image has the labels of OCI with version and revision, an entry point, a port and a user', () => {
    const labels = Object.entries(image.config.Labels).filter(([key]) => key.startsWith('org.opencontainers.'));
    expect(Object.fromEntries(labels)).toEqual({
      'org.opencontainers.image.title': name,
      'org.opencontainers.image.description': expect.stringContaining('ephemeral storage') as unknown,
      'org.opencontainers.image.source': `https://github.com/${owner}/${name}`,
      'org.opencontainers.image.licenses': 'Apache-2.0',
      'org.opencontainers.image.version': built.VERSION,
      'org.opencontainers.image.revision': built.REVISION,
    });
    expect(image.config).toMatchObject({
      User: '65532:65532',
      Entrypoint: ['node', '--max-semi-space-size=8', '/app/dist/cli.js'],
      ExposedPorts: { '9797/tcp': {} },
    });
  });

  it('the image knows its version, and that it has no simulated cluster', async () => {
    expect(await run(['--version'])).toBe(version);
    await expect(run(['demo'])).rejects.toThrow('the simulated cluster is not part of this installation');
  });

  it('the image serves a cluster with the account of its pod, as its user, without a file to write to', async () => {
    await using folder = await temporaryFolder();
    await using cluster = await SimulatedCluster.start({ scenario: emptyScenario('node-1', 'node-2') });
    const token = cluster.issueToken({ user: 'exporter', rules: leastRules });
    for (const [file, text] of Object.entries({ token, 'ca.crt': cluster.caPem }))
      await writeFile(path.join(folder.path, file), text);
    await promisify(execFile)('chmod', ['-R', 'go+rX', folder.path]);
    const { hostname, port } = new URL(cluster.apiUrl);
    const pod = {
      volumes: { account: folder.path },
      environment: [`KUBERNETES_SERVICE_HOST=${hostname}`, `KUBERNETES_SERVICE_PORT=${port}`],
    };
    const flags = ['--web.listen-address', '127.0.0.1:0', '--log.format', 'json'];
    const ownAuthority = ['--set', `kubelet.tls.caFile=/var/run/secrets/kubernetes.io/serviceaccount/ca.crt`];
    await using exporter = new ChildCommand(['serve', ...flags, ...ownAuthority], { launcher: image.launcher(pod) });
    const url = `http://127.0.0.1:${await exporter.printed(/"ports":"(\d+)"/)}`;
    const body = await eventually('both nodes', async () => {
      const text = await (await fetch(`${url}/metrics`)).text();
      return text.match(/^ephemeral_storage_node_data_available\{.*\} 1$/gm)?.length === 2 ? text : undefined;
    });
    expect(body).toContain(`ephemeral_storage_exporter_build_info{version="${version}"`);
    expect(await (await fetch(`${url}/?as=html`)).text()).toContain('<html');
    expect(exporter.out).not.toMatch(/EROFS|EACCES|read-only/i);
    exporter.signal('SIGTERM');
    expect(await exporter.ended()).toBe(0);

    const state = `
      const { readdirSync, writeFileSync } = require('node:fs');
      const code = (folder) => { try { writeFileSync(folder + '/x', ''); return 'written'; } catch (error) { return error.code; } };
      const folders = ['/', '/app', '/app/dist', '/tmp', '/dev', '/root'];
      console.log(JSON.stringify([process.getuid(), process.getgid(), process.getgroups(), process.cwd(), folders.map(code)]));`;
    const refused = Array.from({ length: 6 }, () => 'EROFS');
    expect(JSON.parse(await run(['-e', state], { entrypoint: ['node'] }))).toEqual([
      65_532,
      65_532,
      [65_532],
      '/app',
      refused,
    ]);
  });
});
