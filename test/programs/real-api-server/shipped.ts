import type { KubeObject } from '../../support/manifests/documents.js';
import { renderOptedIn } from '../../support/manifests/kustomize.js';
import type { RealApiServer } from '../../support/real-api-server.js';

/** Of the exporter's pods. */
export const serviceAccount = { namespace: 'ephemeral-storage-exporter', name: 'ephemeral-storage-exporter' };

/** Applies the overlay `deployment` with these components, as a user does. */
export function applyShipped(server: RealApiServer, components: readonly string[] = []): void {
  const items: readonly KubeObject[] = renderOptedIn('deployment', components);
  server.kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
}
