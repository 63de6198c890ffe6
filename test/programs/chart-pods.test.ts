import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { TestAuthority } from '../support/certificates.js';
import { at, type Json, listAt } from '../support/manifests/documents.js';
import { checkSettings } from '../support/manifests/exporter-settings.js';
import { renderChart } from '../support/manifests/helm.js';
import { configOf, exporterOf } from '../support/manifests/policies.js';
import { runProbe } from '../support/manifests/probe-commands.js';
import { isInstalled, temporaryFolder } from '../support/programs.js';

describe.skipIf(!isInstalled('helm4'))('pods of the chart (need helm4)', () => {
  it('pods of the chart test whether the exporter is ready', async () => {
    const pod = renderChart('helm4', {}).find(({ kind }) => kind === 'Pod');
    const [container] = listAt(pod, 'spec', 'containers');
    expect(await runProbe(container?.['command'], 200)).toEqual({ code: 0, paths: ['/readyz'] });
    expect(await runProbe(container?.['command'], 503)).toEqual({ code: 1, paths: ['/readyz'] });
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
