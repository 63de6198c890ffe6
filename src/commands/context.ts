import type { Clock } from '../base/clock.js';
import type { Environment } from '../config/text-layers.js';

/** What a command has of the process that it runs in. */
export interface CommandContext {
  readonly environment: Environment;
  readonly homeDir: string;
  readonly hostName: string;
  readonly clock: Clock;
  /** From 0 to 1, 1 excluded. */
  readonly random: () => number;
  readonly version: string;
  /** Files and connections that the process may have open; undefined: not known. */
  readonly openFileLimit?: number | undefined;
  /** Aborts at the first SIGINT or SIGTERM. */
  readonly stopSignal: AbortSignal;
  /** Aborts when the reader of the output has gone (`| head`). */
  readonly outputClosed: AbortSignal;
  /** Calls `listener` at each SIGHUP. */
  readonly onHangUp: (listener: () => void) => void;
  /** Compiles no code from then on: less memory, for less speed. */
  readonly interpretOnly: () => void;
  /** Size of the terminal that shows the output, in characters; undefined when that is no terminal. */
  readonly terminal: () => { readonly columns: number; readonly rows: number } | undefined;
  /** Texts end with a newline. */
  readonly writeOut: (text: string) => void;
  readonly writeError: (text: string) => void;
}
