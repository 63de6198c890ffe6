/** The fields in use of objects that are not part of the Kubernetes API: any other field is a typo. */
import { z } from 'zod';

import { isObject, type Json } from './documents.js';

const labels = z.record(z.string(), z.string());
const metadata = z.strictObject({
  name: z.string(),
  namespace: z.string().optional(),
  labels: labels.optional(),
  annotations: labels.optional(),
});

const duration = z.string().regex(/^(?:\d+(?:ms|[smhdwy]))+$/);
const labelSelector = z.strictObject({ matchLabels: labels });

const relabeling = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('labeldrop'), regex: z.string() }),
  z.strictObject({
    action: z.literal('replace'),
    sourceLabels: z.array(z.string()),
    targetLabel: z.string(),
    regex: z.string().optional(),
    replacement: z.string().optional(),
  }),
]);

/** https://prometheus-operator.dev/docs/api-reference/api/#monitoring.coreos.com/v1.Endpoint */
const endpoint = z.strictObject({
  port: z.string(),
  path: z.string(),
  interval: duration,
  scrapeTimeout: duration,
  honorLabels: z.boolean(),
  relabelings: z.array(relabeling),
});

const serviceEndpoint = endpoint.extend({ bearerTokenFile: z.string().optional() });

const object = <Version extends string, Kind extends string>(apiVersion: Version, kind: Kind) =>
  z.strictObject({ apiVersion: z.literal(apiVersion), kind: z.literal(kind), metadata });

const rule = z.strictObject({
  record: z.string().optional(),
  alert: z.string().optional(),
  expr: z.string(),
  for: duration.optional(),
  keep_firing_for: duration.optional(),
  labels: labels.optional(),
  annotations: labels.optional(),
});

const ruleGroup = z.strictObject({
  name: z.string(),
  interval: duration.optional(),
  limit: z.int().optional(),
  rules: z.array(rule).min(1),
});

const target = z.strictObject({ kind: z.string(), name: z.string().optional(), labelSelector: z.string().optional() });

/** https://kubectl.docs.kubernetes.io/references/kustomize/kustomization/ */
const kustomization = z.strictObject({
  apiVersion: z.literal('kustomize.config.k8s.io/v1beta1'),
  kind: z.literal('Kustomization'),
  namespace: z.string().optional(),
  resources: z.array(z.string()).optional(),
  components: z.array(z.string()).nullish(),
  transformers: z.array(z.string()).optional(),
  patches: z.array(z.strictObject({ path: z.string().optional(), patch: z.string().optional(), target })).optional(),
  images: z
    .array(z.strictObject({ name: z.string(), newName: z.string().optional(), newTag: z.string().optional() }))
    .optional(),
  replicas: z.array(z.strictObject({ name: z.string(), count: z.int() })).optional(),
  labels: z.array(z.strictObject({ pairs: labels })).optional(),
  configMapGenerator: z
    .array(
      z.strictObject({
        name: z.string(),
        behavior: z.enum(['create', 'merge', 'replace']).optional(),
        files: z.array(z.string()),
        options: z.strictObject({ disableNameSuffixHash: z.boolean() }).optional(),
      }),
    )
    .optional(),
});

const replacement = z.strictObject({
  source: z.strictObject({ kind: z.string(), name: z.string(), fieldPath: z.string() }),
  targets: z.array(
    z.strictObject({
      select: z.strictObject({ kind: z.string(), name: z.string() }),
      fieldPaths: z.array(z.string()),
      options: z.strictObject({ delimiter: z.string(), index: z.int() }),
    }),
  ),
});

const schemas = z.union([
  object('monitoring.coreos.com/v1', 'ServiceMonitor').extend({
    spec: z.strictObject({ selector: labelSelector, endpoints: z.array(serviceEndpoint).min(1) }),
  }),
  object('monitoring.coreos.com/v1', 'PodMonitor').extend({
    spec: z.strictObject({ selector: labelSelector, podMetricsEndpoints: z.array(endpoint).min(1) }),
  }),
  object('monitoring.coreos.com/v1', 'PrometheusRule').extend({
    spec: z.strictObject({ groups: z.array(ruleGroup).min(1) }),
  }),
  kustomization,
  kustomization.extend({
    apiVersion: z.literal('kustomize.config.k8s.io/v1alpha1'),
    kind: z.literal('Component'),
  }),
  object('builtin', 'ReplacementTransformer').extend({ replacements: z.array(replacement).min(1) }),
]);

const schemaByKind = new Map(schemas.options.map((schema) => [schema.shape.kind.value as string, schema as z.ZodType]));

/** One line for each wrong field, with its path; undefined for an unknown kind. */
export function otherTypeFaults(value: Json): readonly string[] | undefined {
  const schema = isObject(value) ? schemaByKind.get(String(value['kind'])) : undefined;
  if (schema === undefined) return undefined;
  const { error } = schema.safeParse(value);
  return (error?.issues ?? []).map(({ path, message }) => `.${path.map(String).join('.')}: ${message}`);
}
