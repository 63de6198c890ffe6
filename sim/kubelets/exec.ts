import { spawn } from 'node:child_process';
import type { IncomingMessage } from 'node:http';

import type { WebSocket } from 'ws';

import type { Upgrade } from '../https-listener.js';
import { runningContainers, type SimulatedPod } from '../model/simulated-pod.js';
import type { ContainerSpec } from '../model/specs.js';
import { acceptWebSocket, onChannels, sendOn } from './web-sockets.js';

/** The best one first. Only the first lets clients close the standard input. */
export const execProtocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io'] as const;

const channels = { input: 0, output: 1, error: 2, status: 3, close: 255 } as const;

/** What a request wants to be run. */
export interface ExecCommand {
  readonly words: readonly string[];
  readonly hasInput: boolean;
  readonly hasOutput: boolean;
  readonly hasError: boolean;
}

/** Undefined without a command, or without any stream. */
export function execCommand({ searchParams }: URL): ExecCommand | undefined {
  const words = searchParams.getAll('command');
  const [hasInput, hasOutput, hasError] = ['input', 'output', 'error'].map((name) => searchParams.get(name) === '1');
  if (words.length === 0 || !(hasInput === true || hasOutput === true || hasError === true)) return undefined;
  return { words, hasInput: hasInput === true, hasOutput: hasOutput === true, hasError: hasError === true };
}

/** Undefined unless it runs. */
export function runningContainer(pod: SimulatedPod, name: string): ContainerSpec | undefined {
  return runningContainers(pod).find(({ spec }) => spec.name === name)?.spec;
}

/**
 * Runs a command of this machine in a container's place, over a WebSocket: a channel for each stream, and at the end one with the
 * exit code. Unlike a real runtime, ends the command with its connection: tests leave no processes behind.
 * https://github.com/kubernetes/kubernetes/blob/v1.37.1/staging/src/k8s.io/kubelet/pkg/cri/streaming/remotecommand/websocket.go
 */
export function runCommand(
  request: IncomingMessage,
  upgrade: Upgrade,
  run: { readonly protocol: string; readonly container: ContainerSpec; readonly command: ExecCommand },
): void {
  const { protocol, container, command } = run;
  acceptWebSocket(request, upgrade, protocol, (web) => {
    // The first message shows a client that the connection is there.
    sendOn(web, command.hasOutput ? channels.output : channels.status, Buffer.alloc(0));
    const [program, ...args] = container.launcher === undefined ? [] : [...container.launcher, ...command.words];
    if (program === undefined) end(web, notFoundStatus(command.words[0] ?? ''));
    else runProgram(web, [program, args], command);
  });
}

function runProgram(
  web: WebSocket,
  [program, args]: readonly [string, readonly string[]],
  { words, hasInput, hasOutput, hasError }: ExecCommand,
): void {
  const child = spawn(program, args, { env: { PATH: process.env['PATH'] } });
  const streams = [
    { stream: child.stdout, channel: channels.output, isWanted: hasOutput },
    { stream: child.stderr, channel: channels.error, isWanted: hasError },
  ];
  for (const { stream, channel, isWanted } of streams) {
    stream.on('data', (content: Buffer) => {
      if (isWanted) sendOn(web, channel, content);
    });
  }
  child.stdin.on('error', () => undefined);
  if (!hasInput) child.stdin.end();
  onChannels(web, (channel, content) => {
    if (channel === channels.input) child.stdin.write(content);
    if (channel === channels.close && content[0] === channels.input) child.stdin.end();
  });
  web.on('close', () => child.kill('SIGKILL'));
  child.once('error', () => {
    end(web, notFoundStatus(words[0] ?? ''));
  });
  child.once('close', (code) => {
    end(web, code === 0 ? { metadata: {}, status: 'Success' } : exitStatus(code ?? killedCode));
  });
}

/** Of a process that a signal ended. */
const killedCode = 137;

/** For kubectl, anything else is an error. https://www.rfc-editor.org/rfc/rfc6455#section-7.4.1 */
const normalClosure = 1000;

function end(web: WebSocket, status: object): void {
  if (web.readyState !== web.OPEN) return;
  sendOn(web, channels.status, Buffer.from(JSON.stringify(status)));
  web.close(normalClosure);
}

function exitStatus(code: number): object {
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: command terminated with exit code ${code}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
  };
}

/** As containerd and runc report an image without the program. */
function notFoundStatus(program: string): object {
  const cause = `OCI runtime exec failed: exec failed: unable to start container process: exec: "${program}": executable file not found in $PATH: unknown`;
  const message = `error executing command in container: failed to exec in container: failed to start exec: ${cause}`;
  return {
    metadata: {},
    status: 'Failure',
    message: `Internal error occurred: ${message}`,
    reason: 'InternalError',
    details: { causes: [{ message }] },
    code: 500,
  };
}
