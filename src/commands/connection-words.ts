import type { CredentialFlags } from './load-settings.js';

/** Returns the given flags that name the cluster and the user, as kubectl has them too: each command that is printed needs them. */
export function connectionWords({ kubeconfig, overrides }: CredentialFlags): readonly string[] {
  const { context, cluster, user, server, as, asUid, asGroup = [] } = overrides;
  const single = { kubeconfig, context, cluster, user, server, as, 'as-uid': asUid };
  return [
    ...Object.entries(single).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value])),
    ...asGroup.flatMap((group) => ['--as-group', group]),
  ];
}
