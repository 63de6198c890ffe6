import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';

interface Stored {
  readonly type: string;
  readonly body: Buffer;
}

const digestOf = (body: Buffer): string => `sha256:${createHash('sha256').update(body).digest('hex')}`;

/**
 * A registry on loopback without TLS, as far as Helm uses one: blobs that are sent in one piece, and manifests by tag and
 * digest. https://github.com/opencontainers/distribution-spec
 */
export class OciRegistry implements AsyncDisposable {
  readonly #server: Server;
  readonly #stored = new Map<string, Stored>();
  #uploadCount = 0;

  private constructor() {
    this.#server = createServer((request, response) => void this.#respond(request, response));
  }

  static async start(): Promise<OciRegistry> {
    const registry = new OciRegistry();
    await once(registry.#server.listen(0, '127.0.0.1'), 'listening');
    return registry;
  }

  get host(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the registry is not listening');
    return `127.0.0.1:${address.port}`;
  }

  /** Names with their tags, such as `owner/charts/name:1.0.0`. */
  get tags(): readonly string[] {
    return [...this.#stored.keys()].flatMap((key) => {
      const [, name = '', tag = ''] = /^\/v2\/(.+)\/manifests\/([^:]+)$/.exec(key) ?? [];
      return tag === '' ? [] : [`${name}:${tag}`];
    });
  }

  /** Of the manifest with this tag; undefined when there is none. */
  digestOf(name: string, tag: string): string | undefined {
    const manifest = this.#stored.get(`/v2/${name}/manifests/${tag}`);
    return manifest && digestOf(manifest.body);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://registry');
    const body = await buffer(request);
    if (url.pathname === '/v2/') response.writeHead(200).end();
    else if (request.method === 'POST') this.#startUpload(url, response);
    else if (request.method === 'PUT')
      this.#store({ url, type: request.headers['content-type'] ?? '', body }, response);
    else this.#serve(url.pathname, request.method === 'HEAD', response);
  }

  #startUpload({ pathname }: URL, response: ServerResponse): void {
    this.#uploadCount++;
    response.writeHead(202, { location: `${pathname}${this.#uploadCount}` }).end();
  }

  #store({ url, type, body }: Stored & { readonly url: URL }, response: ServerResponse): void {
    const digest = digestOf(body);
    const [folder = '', kind = ''] = /^(.+\/)(?=(blobs|manifests)\/)/.exec(url.pathname)?.slice(1) ?? [];
    this.#stored.set(`${folder}${kind}/${digest}`, { type, body });
    if (kind === 'manifests') this.#stored.set(url.pathname, { type, body });
    const location = `${folder}${kind}/${digest}`;
    response.writeHead(201, { location, 'docker-content-digest': digest }).end();
  }

  #serve(pathname: string, isHead: boolean, response: ServerResponse): void {
    const found = this.#stored.get(pathname);
    if (found === undefined) {
      response.writeHead(404).end();
      return;
    }
    const { type, body } = found;
    const headers = { 'content-type': type, 'content-length': body.length, 'docker-content-digest': digestOf(body) };
    response.writeHead(200, headers).end(isHead ? undefined : body);
  }
}
