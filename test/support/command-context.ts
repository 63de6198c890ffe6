import type { CommandContext } from '../../src/commands/context.js';
import { type Clock, systemClock } from '../../src/lib/base/clock.js';
import { CommandRequests } from '../../src/serve/source/command-requests.js';

export interface RecordedCommand {
  readonly context: CommandContext;
  readonly out: () => string;
  readonly error: () => string;
  /** As the first SIGINT does. */
  readonly stop: () => void;
  /** As `| head` does. */
  readonly closeOutput: () => void;
}

/** The requests of a command without a limit of their own. */
export function commandRequests(
  clock: Clock,
  overrides: Partial<ConstructorParameters<typeof CommandRequests>[0]> = {},
): CommandRequests {
  const options = { clock, version: '0.0.0-test', writeError: () => undefined, timeoutMs: undefined };
  return new CommandRequests({ ...options, ...overrides });
}

/** The context of a command, without a process. */
export function aCommandContext(overrides: Partial<CommandContext> = {}): RecordedCommand {
  const out: string[] = [];
  const error: string[] = [];
  const stopping = new AbortController();
  const closingOutput = new AbortController();
  return {
    context: {
      environment: {},
      homeDir: '/nonexistent',
      hostName: 'test-host',
      clock: systemClock,
      random: () => 0.5,
      version: '0.0.0-test',
      invocation: 'ephemeral-storage-exporter',
      stopSignal: stopping.signal,
      outputClosed: closingOutput.signal,
      onHangUp: () => undefined,
      interpretOnly: () => undefined,
      terminal: () => undefined,
      writeOut: (text) => out.push(text),
      writeError: (text) => error.push(text),
      ...overrides,
    },
    out: () => out.join(''),
    error: () => error.join(''),
    stop: () => {
      stopping.abort(new Error('stopped'));
    },
    closeOutput: () => {
      closingOutput.abort(new Error('write EPIPE'));
    },
  };
}
