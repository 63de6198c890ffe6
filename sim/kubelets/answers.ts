import type { ServerResponse } from 'node:http';

import { goJson } from '../model/object-format.js';
import { type Fault, faultNumber } from '../simulated-faults.js';

export interface SummaryExchange {
  readonly fault: Fault | undefined;
  readonly summary: (known: 'all' | 'none') => object;
  /** Rejects when the client disconnects. */
  readonly sleep: (durationMs: number) => Promise<void>;
}

/** Plain text, as of Go's `http.Error` but without the line feed. */
export function answerText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'Content-Length': Buffer.byteLength(text),
    'Content-Type': 'text/plain; charset=utf-8',
  });
  response.end(text);
}

/** Responds to an authorized request for the summary, with the kubelet's fault. */
export async function answerSummary(response: ServerResponse, exchange: SummaryExchange): Promise<void> {
  const { fault } = exchange;
  const status = faultNumber(fault, 'status');
  if (status !== undefined) {
    answerText(response, status, 'Internal Error: failed to list pod stats: simulated fault');
    return;
  }
  const delayMs = faultNumber(fault, 'slow');
  if (delayMs !== undefined) await exchange.sleep(delayMs);
  const answer = (fault === undefined ? undefined : faultyAnswers[fault]) ?? answerWhole;
  answer(response, exchange.summary);
}

/** Responds on one line, without any fault. */
export function answerConfiguration(response: ServerResponse, configuration: object): void {
  response.setHeader('X-Content-Type-Options', 'nosniff');
  answerJson(response, goJson(configuration));
}

type Answer = (response: ServerResponse, summary: SummaryExchange['summary']) => void;

const answerWhole: Answer = (response, summary) => {
  answerJson(response, goJson(summary('all'), 1));
};

const faultyAnswers: Readonly<Partial<Record<Fault, Answer>>> = {
  hang: () => undefined, // until the client disconnects or the kubelet is disposed of
  reset: (response) => {
    response.destroy();
  },
  html: (response) => {
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' });
    response.end('<!doctype html><title>Sign in</title><p>Sign in to use this network.</p>');
  },
  redirect: (response) => {
    response.writeHead(307, { Location: 'https://elsewhere.invalid/stats/summary' });
    response.end();
  },
  'wrong-body': (response) => {
    answerJson(response, '{"kind":"PodList","apiVersion":"v1","items":[]}');
  },
  empty: (response, summary) => {
    answerJson(response, goJson(summary('none'), 1));
  },
  truncated: (response, summary) => {
    const body = goJson(summary('all'), 1);
    response.writeHead(200, { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' });
    response.write(body.slice(0, body.length / 2), () => response.destroy());
  },
};

function answerJson(response: ServerResponse, body: string): void {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' });
  response.end(body);
}
