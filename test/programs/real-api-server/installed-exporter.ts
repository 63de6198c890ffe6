import { staticCredentials } from '../../../src/cluster/credentials/credentials.js';
import { loadConfig } from '../../../src/config/load.js';
import { plainWeb } from '../../../src/config/web/web-config.js';
import { loadWebFile, readWebFile } from '../../../src/config/web/web-file.js';
import type { App } from '../../../src/serve/app/app.js';
import type { KubeObject } from '../../support/manifests/documents.js';
import { environmentOf } from '../../support/manifests/exporter-settings.js';
import { configOf, exporterOf } from '../../support/manifests/policies.js';
import type { RealApiServer } from '../../support/real-api-server.js';
import { startApp } from '../../support/started-app.js';
import { serviceAccount } from './shipped.js';

export interface InstalledOptions {
  readonly server: RealApiServer;
  /** Of the release. */
  readonly objects: readonly KubeObject[];
  readonly namespace: string;
  /** Of the pod. Default: `test-host`. */
  readonly hostName?: string;
  /** Replaces paths that only the pod has. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** The exporter of a release, on a port of loopback, with its settings and a token of its service account. */
export async function startInstalled(options: InstalledOptions): Promise<App> {
  const { server, objects, namespace, hostName = 'test-host' } = options;
  const environment: Readonly<Record<string, string>> = {
    ...environmentOf(exporterOf(objects), 'node-1'),
    EPHEMERAL_STORAGE_EXPORTER_WEB_LISTEN_ADDRESSES: '127.0.0.1:0',
    ...options.environment,
  };
  const token = await server.serviceAccountToken(namespace, serviceAccount.name);
  const config = loadConfig({ file: { path: 'config.yaml', text: configOf(objects) }, environment, flags: {} });
  const { configFile } = config.web;
  return startApp({
    config,
    web: configFile === undefined ? plainWeb : loadWebFile(configFile, await readWebFile(configFile)),
    credentials: staticCredentials({ server: new URL(server.url), ca: server.caPem, token }),
    host: { name: hostName, nodeName: environment['NODE_NAME'] },
  });
}
