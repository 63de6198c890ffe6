import type { RealApiServer } from '../../support/real-api-server.js';

type ResourceRule = Readonly<Record<'verbs' | 'apiGroups' | 'resources', readonly string[]>>;

/**
 * What a service account may do besides what every one may, such as `get /nodes/stats`; sorted. Needs the service
 * account `other` in `monitoring`, to which nothing is granted.
 */
export async function extraGrantsOf(
  server: RealApiServer,
  namespace: string,
  name: string,
): Promise<readonly string[]> {
  const common = await grantsOf(server, await server.serviceAccountToken('monitoring', 'other'), 'monitoring');
  const granted = await grantsOf(server, await server.serviceAccountToken(namespace, name), namespace);
  return granted.filter((grant) => !common.includes(grant)).sort();
}

async function grantsOf(server: RealApiServer, token: string, namespace: string): Promise<readonly string[]> {
  const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectRulesReview', spec: { namespace } };
  const path = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews';
  const { status } = await server.request(path, { method: 'POST', token, body });
  const { resourceRules } = status as { readonly resourceRules: readonly ResourceRule[] };
  return resourceRules.flatMap(({ verbs, apiGroups, resources }) =>
    verbs.flatMap((verb) => apiGroups.flatMap((group) => resources.map((resource) => `${verb} ${group}/${resource}`))),
  );
}
