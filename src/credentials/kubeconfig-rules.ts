import type { Cluster, User } from '@kubernetes/client-node';

import { UserError } from '../base/errors.js';

interface KubeconfigRule {
  readonly isBroken: (user: User, cluster: Cluster) => boolean;
  readonly problem: string;
}

/** Whether one of them is. */
const isSet = (...settings: unknown[]): boolean => settings.some(Boolean);

/** What kubectl refuses, as only one of two settings could be followed. */
const rules: readonly KubeconfigRule[] = [
  {
    isBroken: ({ token, username }) => isSet(token) && isSet(username),
    problem: 'the user has both token and username; remove one',
  },
  {
    isBroken: ({ exec, authProvider }) => isSet(exec) && isSet(authProvider),
    problem: 'the user has both exec and auth-provider; remove one',
  },
  {
    isBroken: ({ certFile, certData, keyFile, keyData }) => isSet(certFile, certData) && !isSet(keyFile, keyData),
    problem: 'the user has a client-certificate without its client-key; set client-key or client-key-data',
  },
  {
    isBroken: ({ certFile, certData }) => isSet(certFile) && isSet(certData),
    problem: 'the user has both client-certificate and client-certificate-data; remove one',
  },
  {
    isBroken: ({ keyFile, keyData }) => isSet(keyFile) && isSet(keyData),
    problem: 'the user has both client-key and client-key-data; remove one',
  },
  {
    isBroken: (_user, { caFile, caData }) => isSet(caFile) && isSet(caData),
    problem: 'the cluster has both certificate-authority and certificate-authority-data; remove one',
  },
  {
    isBroken: (_user, { skipTLSVerify, caFile, caData }) => skipTLSVerify && isSet(caFile, caData),
    problem: 'the cluster has a certificate-authority and insecure-skip-tls-verify, which disables it; remove one',
  },
];

/**
 * Throws UserError for settings that contradict each other; `what` begins the message.
 * https://pkg.go.dev/k8s.io/client-go/tools/clientcmd#ConfirmUsable
 */
export function checkRules({ user, cluster }: { readonly user: User; readonly cluster: Cluster }, what: string): void {
  const broken = rules.find(({ isBroken }) => isBroken(user, cluster));
  if (broken !== undefined) throw new UserError(`${what}: ${broken.problem}`);
}
