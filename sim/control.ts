import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

import { messageOf, UserError } from '../src/lib/base/errors.js';
import { type ApiFault, type Fault, parseApiFault, parseFault } from './simulated-faults.js';

export interface NodeReport {
  readonly name: string;
  readonly kubeletPort: number;
  readonly fault: Fault | undefined;
  readonly requestCount: number;
}

export interface ControlServerOptions {
  readonly nodes: () => readonly NodeReport[];
  readonly setFault: (nodeName: string, fault: Fault | undefined) => Promise<void>;
  readonly setApiFault: (fault: ApiFault | undefined) => Promise<void>;
  /** 0: any free port. */
  readonly port: number;
}

const largestBodyBytes = 256;

/**
 * Plain HTTP on 127.0.0.1, without credentials, for setting faults at run time: `GET /sim/nodes`;
 * `PUT /sim/nodes/NAME/fault` and `PUT /sim/api-server/fault` with the fault as body; `DELETE` clears the fault.
 */
export class ControlServer implements AsyncDisposable {
  readonly #options: ControlServerOptions;
  readonly #server: Server;

  private constructor(options: ControlServerOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => {
      this.#handle(request, response).catch((error: unknown) => {
        answer(response, error instanceof UserError ? 400 : 500, `${messageOf(error)}\n`);
      });
    });
  }

  static async start(options: ControlServerOptions): Promise<ControlServer> {
    const control = new ControlServer(options);
    await new Promise<void>((resolve, reject) => {
      control.#server.once('error', reject);
      control.#server.listen(options.port, '127.0.0.1', resolve);
    });
    return control;
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the control server is not listening');
    return `http://127.0.0.1:${address.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = request;
    if (url === '/sim/nodes' && method === 'GET') {
      answer(response, 200, `${JSON.stringify(this.#options.nodes(), undefined, 2)}\n`);
      return;
    }
    const setFault = this.#setterOf(url);
    if (setFault === undefined) answer(response, 404, 'unknown path or node\n');
    else if (method !== 'PUT' && method !== 'DELETE') answer(response, 405, 'allowed: PUT, DELETE\n');
    else {
      await setFault(method === 'PUT' ? await readBody(request) : undefined);
      response.writeHead(204).end();
    }
  }

  /** The function that sets the fault of a path. */
  #setterOf(path: string): ((text: string | undefined) => Promise<void>) | undefined {
    const { nodes, setFault, setApiFault } = this.#options;
    if (path === '/sim/api-server/fault')
      return async (text) => setApiFault(text === undefined ? text : parseApiFault(text));
    const nodeName = /^\/sim\/nodes\/([^/]+)\/fault$/.exec(path)?.[1];
    if (nodeName === undefined || !nodes().some(({ name }) => name === nodeName)) return undefined;
    return async (text) => setFault(nodeName, text === undefined ? text : parseFault(text));
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request as AsyncIterable<Buffer>) {
    text += chunk.toString();
    if (text.length > largestBodyBytes) throw new UserError(`the body is larger than ${largestBodyBytes} bytes`);
  }
  return text.trim();
}

function answer(response: ServerResponse, status: number, text: string): void {
  const type = status === 200 ? 'application/json' : 'text/plain; charset=utf-8';
  response.writeHead(status, { 'Content-Type': type });
  response.end(text);
}
