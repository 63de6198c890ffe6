import { type IncomingMessage, request } from 'node:http';

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

/**
 * A scrape of the exporter on this port, over a connection of its own: scrapes here follow each other faster than a server
 * knows that a response has been read. Rejects when the connection breaks: the exporter resets it 5 s after the timeout of a scrape, and
 * after 30 s of a page, which a busy machine may take for a large cluster.
 */
export async function scrape(port: number, options: ScrapeOptions = {}): Promise<Scrape> {
  const { path = '/metrics', gzip = false, keepsBody = false, timeoutSeconds = 60 } = options;
  const startMs = performance.now();
  const headers = {
    accept: 'text/plain;version=0.0.4',
    'accept-encoding': gzip ? 'gzip' : 'identity',
    'x-prometheus-scrape-timeout-seconds': String(timeoutSeconds),
  };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const onError = (cause: Error): void => {
      const tookMs = performance.now() - startMs;
      reject(new Error(`${path}: ${cause.message} after ${tookMs.toFixed(0)} ms`, { cause }));
    };
    request({ host: '127.0.0.1', port, path, headers, agent: false }, resolve).on('error', onError).end();
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
