import type { Credentials } from '../credentials/credentials.js';
import { loadCredentials } from '../credentials/load-credentials.js';
import { issuerTransport } from '../http/issuer-transport.js';
import type { CommandContext } from './context.js';

/** What the command line says about the credentials. */
export interface CredentialFlags {
  readonly kubeconfig: string | undefined;
  /** Of the kubeconfig. */
  readonly context: string | undefined;
}

/** Throws UserError when there are none. */
export function commandCredentials(
  { kubeconfig, context: contextName }: CredentialFlags,
  { environment, homeDir, clock, version }: Pick<CommandContext, 'environment' | 'homeDir' | 'clock' | 'version'>,
  warn: (message: string) => void,
): Promise<Credentials> {
  return loadCredentials({
    environment,
    homeDir,
    issuers: issuerTransport({ clock, version }),
    warn,
    clock,
    ...(kubeconfig === undefined ? {} : { kubeconfigPath: kubeconfig }),
    ...(contextName === undefined ? {} : { context: contextName }),
  });
}
