import { type ExporterAddress, fileWords } from '../serve/source/exporter-address.js';
import type { ClusterFlags, CredentialFlags } from '../serve/source/one-shot.js';

/** Returns the given flags that name the cluster and the user, as kubectl has them too: each command that is printed needs them. */
export function connectionWords({ kubeconfigPath: kubeconfig, overrides = {} }: CredentialFlags): readonly string[] {
  const { context, cluster, user, server, as, asUid, asGroup = [] } = overrides;
  const single = { kubeconfig, context, cluster, user, server, as, 'as-uid': asUid };
  return [
    ...Object.entries(single).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value])),
    ...asGroup.flatMap((group) => ['--as-group', group]),
  ];
}

/** Returns the given flags that name where this program reads from: each command of its own that is printed needs them. */
export function sourceWords({ from, exporter, exporterFiles }: ClusterFlags): readonly string[] {
  const words = { from, exporter: exporter && exporterWord(exporter) };
  return [
    ...Object.entries(words).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value])),
    ...fileWords(exporterFiles ?? {}),
  ];
}

function exporterWord(exporter: ExporterAddress): string {
  return 'url' in exporter ? exporter.url.href : `${exporter.namespace}/${exporter.service}:${exporter.port}`;
}
