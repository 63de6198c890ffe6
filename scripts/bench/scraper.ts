import { Agent, type IncomingMessage, request } from 'node:http';

export interface Scrape {
  readonly status: number;
  /** From the request to the last byte. */
  readonly tookMs: number;
  readonly sizeBytes: number;
  /** Empty unless asked for. */
  readonly body: Buffer;
}

export interface ScrapeOptions {
  readonly path?: string;
  readonly gzip?: boolean;
  readonly keepsBody?: boolean;
  /** As Prometheus sends its timeout. */
  readonly timeoutSeconds?: number;
}

/** As Prometheus, over a connection that is kept. */
const agent = new Agent({ keepAlive: true, maxSockets: 10 });

/** A scrape of the exporter on this port. Rejects when the connection breaks. */
export async function scrape(port: number, options: ScrapeOptions = {}): Promise<Scrape> {
  const { path = '/metrics', gzip = false, keepsBody = false, timeoutSeconds = 60 } = options;
  const startMs = performance.now();
  const headers = {
    accept: 'text/plain;version=0.0.4',
    'accept-encoding': gzip ? 'gzip' : 'identity',
    'x-prometheus-scrape-timeout-seconds': String(timeoutSeconds),
  };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, headers, agent }, resolve).on('error', reject).end();
  });
  let sizeBytes = 0;
  const pieces: Buffer[] = [];
  for await (const piece of response as AsyncIterable<Buffer>) {
    sizeBytes += piece.length;
    if (keepsBody) pieces.push(piece);
  }
  return {
    status: response.statusCode ?? 0,
    tookMs: performance.now() - startMs,
    sizeBytes,
    body: Buffer.concat(pieces),
  };
}
