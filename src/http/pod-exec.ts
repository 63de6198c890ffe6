import type { WebSocket } from 'ws';

import { abortable } from '../base/abortable.js';
import { RequestError } from '../base/errors.js';
import { oneLine } from '../base/text.js';
import type { Credentials } from '../credentials/credentials.js';
import { objectOf, objectsOf, parseJson, textOf } from '../json/json.js';
import { openApiSocket } from './api-socket.js';

/** Servers from 1.30 on know the first, with which a client could end the standard input; without one they are equal. */
const protocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];
const channels = { output: 1, error: 2, status: 3 } as const;

/** A server that cannot reach the kubelet quotes the address, with the whole command in it. */
const repeatedCommand = /\?[^"\s]*\bcommand=[^"\s]*/g;

export interface PodCommand {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly words: readonly string[];
}

/** The output is text of unknown origin: the programs are those of the image. */
export type ExecResult =
  | { readonly exitCode: number; readonly output: string; readonly errorOutput: string }
  /** The runtime's message: the command did not start. */
  | { readonly failure: string };

/**
 * Runs a command in a container and returns all that it writes. Needs `get` and `create` on `pods/exec`. Throws UserError for a
 * kubeconfig with a proxy, RequestError where the API server refuses, where the connection breaks and for more output than
 * `maxOutputBytes`, or the signal's reason. The runtime may let the command go on after that: it has to end by itself.
 */
export async function execInPod(
  credentials: Credentials,
  { namespace, pod, container, words }: PodCommand,
  { maxOutputBytes, signal }: { readonly maxOutputBytes: number; readonly signal: AbortSignal },
): Promise<ExecResult> {
  const what = `exec in container ${container} of pod ${namespace}/${pod}`;
  const query = new URLSearchParams({ container, stdin: 'false', stdout: 'true', stderr: 'true', tty: 'false' });
  for (const word of words) query.append('command', word);
  const request = {
    what,
    path: `/api/v1/namespaces/${namespace}/pods/${pod}/exec`,
    query,
    protocols,
    permission: 'pods/exec',
    instead: 'use a kubeconfig without one',
  };
  const received = new CommandStreams(what, maxOutputBytes);
  const opening = openApiSocket(credentials, request, (channel, content) => {
    received.receive(channel, content);
  });
  try {
    const web = await abortable(opening, signal);
    return await abortable(received.endOf(web), signal);
  } finally {
    void opening.then(
      (web) => {
        web.terminate();
      },
      () => undefined, // it was refused, which is known by then
    );
  }
}

/** What comes through the channels of a command. */
class CommandStreams {
  readonly #what: string;
  readonly #maxBytes: number;
  readonly #output: Buffer[] = [];
  readonly #errorOutput: Buffer[] = [];
  readonly #ended: Promise<ExecResult>;
  #resolve: (result: ExecResult) => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;
  #byteCount = 0;

  constructor(what: string, maxBytes: number) {
    this.#what = what;
    this.#maxBytes = maxBytes;
    this.#ended = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#ended.catch(() => undefined); // nobody may be waiting yet
  }

  /** A message without content shows that the connection is there. */
  receive(channel: number, content: Buffer): void {
    if (content.length === 0) return;
    if (channel === channels.status) {
      this.#resolve(this.#resultOf(content.toString()));
      return;
    }
    this.#byteCount += content.length;
    if (this.#byteCount > this.#maxBytes) {
      this.#reject(new RequestError('too_large', `${this.#what}: more than ${this.#maxBytes} bytes of output`));
    } else if (channel === channels.output) this.#output.push(content);
    else if (channel === channels.error) this.#errorOutput.push(content);
  }

  endOf(web: WebSocket): Promise<ExecResult> {
    const broken = (): void => {
      this.#reject(new RequestError('connection', `${this.#what}: the connection ended before the command`));
    };
    web.once('close', broken);
    if (web.readyState >= web.CLOSING) broken();
    return this.#ended;
  }

  /** https://github.com/kubernetes/kubernetes/blob/v1.37.1/staging/src/k8s.io/kubelet/pkg/cri/streaming/remotecommand/exec.go */
  #resultOf(text: string): ExecResult {
    const { status, message, details } = objectOf(parseJson(text));
    const cause = objectsOf(objectOf(details)['causes']).find(({ reason }) => reason === 'ExitCode');
    const exitCode = status === 'Success' ? 0 : Number(textOf(cause?.['message']) ?? NaN);
    if (!Number.isInteger(exitCode))
      return { failure: oneLine((textOf(message) ?? text).replaceAll(repeatedCommand, '')) };
    const [output, errorOutput] = [this.#output, this.#errorOutput].map((chunks) => Buffer.concat(chunks).toString());
    return { exitCode, output: output ?? '', errorOutput: errorOutput ?? '' };
  }
}
