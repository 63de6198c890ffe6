/** A real kube-apiserver with an etcd of its own: `api-server` of `.ci/build-programs modules-kubernetes`. */
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import path from 'node:path';

import { TestAuthority } from './certificates.js';
import { answerOf, type HttpAnswer, responseTo } from './http-get.js';
import { eventually, freePort, isInstalled, temporaryFolder } from './programs.js';

/** Whether there are the API server and the kubectl that its tests need. */
export const hasRealApiServer = (): boolean => isInstalled('api-server') && isInstalled('kubectl');

export const adminToken = 'admin-token';

/** Of a user without permissions, called `reader`. */
export const readerToken = 'reader-token';

export interface ServerRequest {
  readonly method?: string;
  /** Default: the administrator's; none for `undefined`. */
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON unless a header says otherwise. */
  readonly body?: object | string;
}

interface Parts {
  readonly folder: AsyncDisposable & { readonly path: string };
  readonly port: number;
  readonly caPem: string;
  readonly flags: readonly string[];
}

/** On loopback, with its data and keys in a temporary folder. Authorizes by RBAC; nothing runs the pods. */
export class RealApiServer implements AsyncDisposable {
  readonly #parts: Parts;
  readonly #agent: Agent;
  #child: ChildProcessWithoutNullStreams | undefined;
  #log = '';

  private constructor(parts: Parts) {
    this.#parts = parts;
    this.#agent = new Agent({ ca: parts.caPem, keepAlive: true, maxSockets: 32 });
  }

  /** `flags`: further ones of kube-apiserver. */
  static async start(flags: readonly string[] = []): Promise<RealApiServer> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await RealApiServer.#startOnce(flags);
      } catch (error) {
        // Its own etcd, or another program, was given the port that was free a moment before.
        if (attempt === 3 || !String(error).includes('address already in use')) throw error;
      }
    }
  }

  static async #startOnce(flags: readonly string[]): Promise<RealApiServer> {
    const folder = await temporaryFolder();
    const authority = await TestAuthority.create('real-ca');
    const server = new RealApiServer({ folder, port: await freePort(), caPem: authority.certificate, flags });
    try {
      await writeKeys(folder.path, authority);
      await writeFile(server.kubeconfig, JSON.stringify(server.#kubeconfig()));
      await server.startProcess();
    } catch (error) {
      await server[Symbol.asyncDispose]();
      throw error;
    }
    return server;
  }

  get url(): string {
    return `https://127.0.0.1:${this.#parts.port}`;
  }

  get port(): number {
    return this.#parts.port;
  }

  get caPem(): string {
    return this.#parts.caPem;
  }

  /** The file of the administrator's. */
  get kubeconfig(): string {
    return this.file('kubeconfig');
  }

  /** A path in the folder of the server, which goes with it. */
  file(name: string): string {
    return path.join(this.#parts.folder.path, name);
  }

  /** Starts it again on the same port and data; resolves when it is ready. */
  async startProcess(): Promise<void> {
    const args = [this.file('etcd'), ...this.#flags()];
    // It ends with its stdin, whatever happens to this process.
    const child = spawn('api-server', args, { stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child = child;
    this.#log = '';
    child.stdout.setEncoding('utf8').resume();
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#log = (this.#log + text).slice(-10_000);
    });
    await eventually('the API server', async () => {
      if (child.exitCode !== null) return { isReady: false };
      return (await this.call('/readyz')).status === 200 ? { isReady: true } : undefined;
    }).then(({ isReady }) => {
      if (!isReady) throw new Error(`the API server ended:\n${this.#log}`);
    });
  }

  /** Ends it; the data stays. `SIGKILL`: as in a crash. */
  async stopProcess(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const child = this.#child;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  async call(path: string, options: ServerRequest = {}): Promise<HttpAnswer> {
    const { method = 'GET', headers = {}, body } = options;
    const token = 'token' in options ? options.token : adminToken;
    const content = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const sent = {
      ...(content !== undefined && { 'Content-Type': 'application/json' }),
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...headers,
    };
    const outgoing = request(this.url + path, { method, agent: this.#agent, headers: sent });
    return answerOf(await responseTo(outgoing, content));
  }

  /** As `call`, for a change or a list that must succeed; returns the object of the response. */
  async request(path: string, options: ServerRequest = {}): Promise<Readonly<Record<string, unknown>>> {
    const { status, text } = await this.call(path, options);
    if (status >= 300) throw new Error(`${options.method ?? 'GET'} ${path}: ${status} ${text}`);
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  }

  /** The output of kubectl as the administrator. Throws when it fails. */
  kubectl(args: readonly string[], input = ''): string {
    const { status, stdout, stderr } = spawnSync('kubectl', ['--kubeconfig', this.kubeconfig, ...args], {
      encoding: 'utf8',
      input,
      maxBuffer: 2 ** 28,
    });
    if (status !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
    return stdout;
  }

  /** Has etcd forget all states before the current one. */
  async compact(): Promise<void> {
    const child = this.#running;
    child.stdin.write('compact\n');
    await once(child.stdout, 'data');
  }

  /** A token of a service account by TokenRequest, valid for an hour; for the API server without audiences. */
  async serviceAccountToken(namespace: string, name: string, audiences?: readonly string[]): Promise<string> {
    const answer = await this.request(`/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`, {
      method: 'POST',
      body: {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { expirationSeconds: 3600, audiences },
      },
    });
    return (answer['status'] as { readonly token: string }).token;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#agent.destroy();
    await this.stopProcess('SIGKILL');
    await this.#parts.folder[Symbol.asyncDispose]();
  }

  get #running(): ChildProcessWithoutNullStreams {
    if (this.#child === undefined) throw new Error('the API server has not been started');
    return this.#child;
  }

  #flags(): readonly string[] {
    return [
      '--bind-address=127.0.0.1',
      '--advertise-address=127.0.0.1',
      `--secure-port=${this.#parts.port}`,
      `--tls-cert-file=${this.file('server.crt')}`,
      `--tls-private-key-file=${this.file('server.key')}`,
      `--token-auth-file=${this.file('tokens.csv')}`,
      '--authorization-mode=RBAC',
      '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
      `--service-account-key-file=${this.file('accounts.pub')}`,
      `--service-account-signing-key-file=${this.file('accounts.key')}`,
      '--service-cluster-ip-range=10.0.0.0/24',
      '--endpoint-reconciler-type=none',
      // No controller creates the service accounts that it would give to pods.
      '--disable-admission-plugins=ServiceAccount',
      // Without it, open watches delay the end by a minute.
      '--shutdown-watch-termination-grace-period=1s',
      ...this.#parts.flags,
    ];
  }

  #kubeconfig(): object {
    const ca = Buffer.from(this.caPem).toString('base64');
    return {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'real',
      contexts: [{ name: 'real', context: { cluster: 'real', user: 'user' } }],
      clusters: [{ name: 'real', cluster: { server: this.url, 'certificate-authority-data': ca } }],
      users: [{ name: 'user', user: { token: adminToken } }],
    };
  }
}

async function writeKeys(folder: string, authority: TestAuthority): Promise<void> {
  const serving = await authority.issueServer();
  const accounts = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const contents = {
    'server.crt': serving.cert,
    'server.key': serving.key,
    'accounts.pub': accounts.publicKey,
    'accounts.key': accounts.privateKey,
    'tokens.csv': `${adminToken},admin,admin,"system:masters"\n${readerToken},reader,reader\n`,
  };
  await mkdir(path.join(folder, 'etcd'), { mode: 0o700 });
  for (const [name, text] of Object.entries(contents)) await writeFile(path.join(folder, name), text);
}
