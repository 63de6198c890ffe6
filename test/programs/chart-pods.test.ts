import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { TestAuthority } from '../support/certificates.js';
import { at, type Json, listAt } from '../support/manifests/documents.js';
import { checkSettings } from '../support/manifests/exporter-settings.js';
import { renderChart } from '../support/manifests/helm.js';
import { configOf, exporterOf } from '../support/manifests/policies.js';
import { isInstalled, temporaryFolder } from '../support/programs.js';

/** The exit code of the command of the test pod, for an exporter whose readiness has this status. */
async function exitCodeFor(command: readonly string[], status: number): Promise<number | null> {
  const paths: (string | undefined)[] = [];
  const server = createServer(({ url }, response) => {
    paths.push(url);
    response.writeHead(status).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const [, ...args] = command.map((text) =>
    text.replace('ephemeral-storage-exporter:9797', `127.0.0.1:${String(port)}`),
  );
  const child = spawn(process.execPath, args, { stdio: 'ignore' });
  const [code] = (await once(child, 'exit')) as [number | null];
  server.close();
  expect(paths).toEqual(['/readyz']);
  return code;
}

describe.skipIf(!isInstalled('helm4'))('pods of the chart (need helm4)', () => {
  it('pods of the chart test whether the exporter is ready', async () => {
    const pod = renderChart('helm4', {}).find(({ kind }) => kind === 'Pod');
    const [container] = listAt(pod, 'spec', 'containers');
    const command = (container?.['command'] as readonly string[]).map(String);
    expect(command[0]).toBe('node');
    expect(await exitCodeFor(command, 200)).toBe(0);
    expect(await exitCodeFor(command, 503)).toBe(1);
  });

  it('pods of the chart have valid settings with TLS', async () => {
    await using folder = await temporaryFolder();
    const { cert, key } = await (await TestAuthority.create('chart-ca')).issueServer();
    await writeFile(path.join(folder.path, 'tls.crt'), cert);
    await writeFile(path.join(folder.path, 'tls.key'), key);
    const objects = renderChart('helm4', { tls: { secretName: 'exporter-tls' } });
    const exporter = exporterOf(objects);
    const map = objects.find(({ kind, data }) => kind === 'ConfigMap' && at(data, 'web.yaml') !== undefined);
    const mounts = new Map(listAt(exporter, 'volumeMounts').map(({ name, mountPath }) => [name, String(mountPath)]));
    const webFile = path.join(folder.path, 'web.yaml');
    const checked = (webText: string) => {
      const mounted = `${mounts.get('config') ?? ''}/web.yaml`;
      const variables = listAt(exporter, 'env');
      expect(variables).toContainEqual(expect.objectContaining({ value: mounted }));
      const env = variables.map((variable): Json => {
        return variable['value'] === mounted ? { ...variable, value: webFile } : variable;
      });
      return writeFile(webFile, webText).then(() => checkSettings({ ...exporter, env }, configOf(objects)));
    };
    const webText = String(at(map, 'data', 'web.yaml'));
    const { status, error } = await checked(webText.replaceAll(mounts.get('tls') ?? '', folder.path));
    expect({ status, error }).toEqual({ status: 0, error: '' });
    // The check reads the files.
    expect((await checked(webText)).error).toContain('/tls.crt');
  });
});
