import type { Credentials } from '../credentials/credentials.js';
import { loadCredentials } from '../credentials/load-credentials.js';
import type { CommandContext } from './context.js';

/** What the command line says about the credentials. */
export interface CredentialFlags {
  readonly kubeconfig: string | undefined;
  /** Of the kubeconfig. */
  readonly context: string | undefined;
}

/** Throws UserError when there are none. */
export function commandCredentials(
  { kubeconfig: kubeconfigPath, context: contextName }: CredentialFlags,
  { environment, homeDir, clock }: Pick<CommandContext, 'environment' | 'homeDir' | 'clock'>,
): Promise<Credentials> {
  return loadCredentials({ environment, homeDir, clock, kubeconfigPath, context: contextName });
}
