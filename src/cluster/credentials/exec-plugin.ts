import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import type { Clock } from '../../lib/base/clock.js';
import { messageOf, UserError } from '../../lib/base/errors.js';
import { oneLine } from '../../lib/base/text.js';
import { objectOf, objectsOf, parseJson, textOf } from '../../lib/json/json.js';

export interface ExecCredential {
  readonly token: string | undefined;
  /** PEM. */
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

/** A credential is not used in its last minute, since callers may cache it for that long. */
const expiryMarginMs = 60_000;
const maxOutputBytes = 1024 * 1024;
const run = promisify(execFile);

/**
 * A client-go credential plugin. Its credential is cached until a minute before it expires; without an expiry, until
 * `forget`. Throws UserError when the settings cannot work here.
 * https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins
 */
export function execPlugin(options: {
  /** The `exec` object of the kubeconfig's user. */
  readonly settings: unknown;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** `spec.cluster` of the request, for plugins with `provideClusterInfo`. */
  readonly cluster: Readonly<Record<string, unknown>>;
  readonly clock: Clock;
  /** Takes what the plugin writes to standard error as it comes; without it, the error of a plugin that fails quotes it. */
  readonly onOutput?: ((text: string) => void) | undefined;
}): {
  /** The plugin is killed when the signal aborts. */
  readonly credential: (signal: AbortSignal) => Promise<ExecCredential>;
  readonly forget: () => void;
} {
  const { clock, onOutput } = options;
  const { command, args, env, installHint } = programOf(options);
  const output = async (signal: AbortSignal): Promise<string> => {
    const running = run(command, args, { env, maxBuffer: maxOutputBytes, killSignal: 'SIGKILL', signal });
    running.child.stdin?.end();
    if (onOutput !== undefined)
      running.child.stderr?.on('data', (text) => {
        onOutput(String(text));
      });
    const { stdout } = await running.catch((error: unknown) => {
      signal.throwIfAborted();
      const hint = installHint === undefined ? '' : `; ${installHint}`;
      throw new Error(`exec plugin ${command} failed: ${failureOf(error, onOutput === undefined)}${hint}`);
    });
    return stdout;
  };
  let cached: { readonly credential: ExecCredential; readonly expiresAtMs: number } | undefined;
  return {
    credential: async (signal) => {
      if (cached === undefined || clock.monotonicMs() >= cached.expiresAtMs - expiryMarginMs) {
        const { expiration, credential } = parseCredential(await output(signal), command);
        const lifetimeMs = Date.parse(expiration) - clock.nowMs();
        cached = { credential, expiresAtMs: Number.isNaN(lifetimeMs) ? Infinity : clock.monotonicMs() + lifetimeMs };
      }
      return cached.credential;
    },
    forget: () => {
      cached = undefined;
    },
  };
}

function programOf({ settings, environment, cluster }: Parameters<typeof execPlugin>[0]) {
  const { command, args, env, apiVersion, installHint, interactiveMode, provideClusterInfo } = objectOf(settings);
  const program = textOf(command);
  if (program === undefined) throw new UserError('exec plugin of the kubeconfig: command is missing');
  if (interactiveMode === 'Always') {
    throw new UserError(
      `exec plugin ${program}: interactiveMode is Always, but the exporter cannot answer prompts; use IfAvailable`,
    );
  }
  const request = {
    apiVersion: textOf(apiVersion) ?? 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
    spec: { interactive: false, ...(provideClusterInfo === true ? { cluster } : {}) },
  };
  return {
    command: program,
    args: Array.isArray(args) ? args.map(String) : [],
    env: {
      ...environment,
      ...Object.fromEntries(objectsOf(env).map(({ name, value }) => [textOf(name) ?? '', textOf(value) ?? ''])),
      KUBERNETES_EXEC_INFO: JSON.stringify(request),
    },
    installHint: textOf(installHint),
  };
}

/** Never includes standard output, which may contain the credential; hence no `cause` either. */
function failureOf(error: unknown, quotes: boolean): string {
  const { code, stderr } = objectOf(error);
  const quote = quotes ? oneLine(textOf(stderr) ?? '') : '';
  if (typeof code === 'number') return `exit code ${code}${quote === '' ? '' : `: ${quote}`}`;
  return typeof code === 'string' ? code : messageOf(error);
}

function parseCredential(output: string, command: string): { credential: ExecCredential; expiration: string } {
  const { status } = objectOf(parseJson(output, () => new Error(`exec plugin ${command}: its output is not JSON`)));
  const { token, clientCertificateData, clientKeyData, expirationTimestamp } = objectOf(status);
  const credential = { token: textOf(token)?.trim(), cert: textOf(clientCertificateData), key: textOf(clientKeyData) };
  if (credential.token === undefined && (credential.cert === undefined || credential.key === undefined)) {
    throw new Error(`exec plugin ${command}: its output has neither a token nor a client certificate with its key`);
  }
  return { credential, expiration: textOf(expirationTimestamp) ?? '' };
}
