import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { gunzipSync } from 'node:zlib';

import { at, isObject } from './manifests/documents.js';
import { installOperatorCrds } from './operator-crds.js';
import type { RealApiServer } from './real-api-server.js';

/** As strings, by name. */
type Files = Readonly<Record<string, string>>;

/** What the pods of its Prometheus would mount. */
export interface MountedFiles {
  readonly configuration: string;
  /** In `/etc/prometheus/certs`. */
  readonly tlsAssets: Files;
  /** In `/etc/prometheus/rules`. */
  readonly rules: Files;
}

const namespace = 'monitoring';
const name = 'k8s';

/** A real Prometheus Operator of a real API server, with a Prometheus object whose pods nothing runs. */
export class PrometheusOperator implements AsyncDisposable {
  readonly #server: RealApiServer;
  readonly #stop: () => Promise<void>;

  private constructor(server: RealApiServer, stop: () => Promise<void>) {
    this.#server = server;
    this.#stop = stop;
  }

  /** Needs the namespace `monitoring`. `spec`: of the Prometheus object. */
  static async start(server: RealApiServer, spec: object): Promise<PrometheusOperator> {
    await installOperatorCrds(server, ['prometheuses', 'probes', 'servicemonitors', 'podmonitors', 'prometheusrules']);
    const env = { PATH: process.env['PATH'], KUBECONFIG: server.kubeconfig };
    const args = ['--web.listen-address=127.0.0.1:0', '--log-level=error'];
    const child = spawn('prometheus-operator', args, { env, stdio: ['ignore', 'inherit', 'inherit'] });
    const ended = once(child, 'exit');
    const operator = new PrometheusOperator(server, async () => {
      // Its log of an orderly end has errors of requests that were under way.
      child.kill('SIGKILL');
      await ended;
    });
    await operator.create(name, spec);
    return operator;
  }

  /** Another Prometheus object. */
  async create(objectName: string, spec: object): Promise<void> {
    await this.#server.request(`/apis/monitoring.coreos.com/v1/namespaces/${namespace}/prometheuses`, {
      method: 'POST',
      body: { apiVersion: 'monitoring.coreos.com/v1', kind: 'Prometheus', metadata: { name: objectName }, spec },
    });
  }

  /** Undefined until it has written all. */
  async files(): Promise<MountedFiles | undefined> {
    const [configuration, tlsAssets, rules] = await Promise.all([
      this.#read(`secrets/prometheus-${name}`),
      this.#read(`secrets/prometheus-${name}-tls-assets-0`),
      this.#read(`configmaps/prometheus-${name}-rulefiles-0`),
    ]);
    const compressed = configuration?.['prometheus.yaml.gz'];
    if (compressed === undefined || tlsAssets === undefined || rules === undefined) return undefined;
    const decoded = Object.entries(tlsAssets).map(([key, text]) => [key, Buffer.from(text, 'base64').toString()]);
    return {
      configuration: gunzipSync(Buffer.from(compressed, 'base64')).toString(),
      tlsAssets: Object.fromEntries(decoded) as Files,
      rules,
    };
  }

  /** The messages of its warnings about an object. */
  async warnings(objectNamespace: string, objectName: string): Promise<readonly string[]> {
    const selector = `involvedObject.name=${objectName},type=Warning`;
    const path = `/api/v1/namespaces/${objectNamespace}/events?fieldSelector=${encodeURIComponent(selector)}`;
    const { items } = (await this.#server.request(path)) as { readonly items: readonly { readonly message: string }[] };
    return items.map(({ message }) => message);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop();
  }

  async #read(path: string): Promise<Files | undefined> {
    const { status, text } = await this.#server.call(`/api/v1/namespaces/${namespace}/${path}`);
    const data = status === 200 ? (at(JSON.parse(text), 'data') ?? {}) : undefined;
    return isObject(data) ? (data as Files) : undefined;
  }
}
