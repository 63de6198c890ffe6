import { UserError } from '../base/errors.js';
import type { Config } from '../config/schema.js';
import { isNamespaceName } from '../config/values.js';
import type { Credentials } from '../credentials/credentials.js';

/**
 * The settings with the namespace of the credentials among `cluster.namespaces`, where they ask for it: that of the
 * service account, or of the kubeconfig's context. Throws UserError when there is none.
 */
export function withOwnNamespace(
  config: Config,
  { namespace, description }: Pick<Credentials, 'namespace' | 'description'>,
): Config {
  const { ownNamespace, namespaces } = config.cluster;
  if (!ownNamespace) return config;
  if (namespace === undefined || !isNamespaceName(namespace)) {
    const found = namespace === undefined ? 'name no namespace' : `name the namespace ${JSON.stringify(namespace)}`;
    throw new UserError(
      `cluster.ownNamespace is true, but the credentials (${description}) ${found}; set cluster.namespaces instead`,
    );
  }
  return { ...config, cluster: { ...config.cluster, namespaces: [...new Set([...namespaces, namespace])] } };
}
