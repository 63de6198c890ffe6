import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

import { type Json, type KubeObject, objectsOf } from '../../support/manifests/documents.js';
import { chartFolder, type HelmName } from '../../support/manifests/helm.js';
import type { RealApiServer } from '../../support/real-api-server.js';
import { serviceAccount } from './shipped.js';

export interface ReleaseOptions {
  readonly server: RealApiServer;
  readonly helm: HelmName;
  readonly namespace: string;
}

/** A release of the chart, named as the service account of the overlays is. */
export class Release {
  readonly #options: ReleaseOptions;

  constructor(options: ReleaseOptions) {
    this.#options = options;
  }

  /** Installs or changes it; only these values differ from the defaults. Returns its objects. */
  async apply(values: Json): Promise<readonly KubeObject[]> {
    const manifest = ['upgrade', '--install', '--create-namespace', serviceAccount.name, chartFolder];
    await this.#run([...manifest, '--reset-values', '--values', '-'], JSON.stringify(values));
    return objectsOf(await this.#run(['get', 'manifest', serviceAccount.name]), 'helm get manifest');
  }

  async uninstall(): Promise<void> {
    await this.#run(['uninstall', serviceAccount.name]);
  }

  /** Returns its output. Throws when it fails. */
  async #run(args: readonly string[], input = ''): Promise<string> {
    const { server, helm, namespace } = this.#options;
    const home = server.file(helm);
    const env = { PATH: process.env['PATH'], HOME: home, KUBECONFIG: server.kubeconfig };
    const child = spawn(helm, [...args, '--namespace', namespace], { stdio: ['pipe', 'pipe', 'pipe'], env });
    child.stdin.end(input);
    const [out, error, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit') as Promise<[number | null]>,
    ]);
    if (code !== 0) throw new Error(`${helm} ${args.join(' ')}: ${error}`);
    return out;
  }
}
