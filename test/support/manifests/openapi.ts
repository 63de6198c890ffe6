/** Validates objects by kubeconform against the OpenAPI of releases of Kubernetes. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { isInstalled } from '../programs.js';
import { isObject, type Json, type KubeObject } from './documents.js';

interface Definition extends Json {
  readonly 'x-kubernetes-group-version-kind'?: readonly Readonly<Record<'group' | 'version' | 'kind', string>>[];
}

/** By name, such as `io.k8s.api.apps.v1.Deployment`. */
type Definitions = Readonly<Record<string, Definition>>;

/** The file of `.ci/build-programs modules-helm`, which is beside kubeconform; undefined if there is none. */
function openApiFile(version: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(path.delimiter)
    .map((folder) => path.join(folder, `kubernetes-${version}.json`))
    .find((file) => existsSync(file));
}

/** The minor versions of `modules-helm/openapi.txt`, such as `1.27`. */
export function openApiVersions(): readonly string[] {
  const list = readFileSync(new URL('../../programs/modules-helm/openapi.txt', import.meta.url), 'utf8');
  return Array.from(list.matchAll(/^v(\d+\.\d+)\./gm), ([, version = '']) => version);
}

export const hasOpenApi = (): boolean =>
  isInstalled('kubeconform') && openApiVersions().every((version) => openApiFile(version) !== undefined);

/** Objects of kinds that Kubernetes itself has. */
export const ofKubernetes = (objects: readonly KubeObject[]): readonly KubeObject[] =>
  objects.filter(
    ({ apiVersion }) =>
      !/^(?:monitoring\.coreos\.com|operator\.victoriametrics\.com|gateway\.networking\.k8s\.io)\//.test(apiVersion),
  );

const prefix = '#/definitions/';

/** Types that OpenAPI describes as strings although they accept numbers too. */
const loose: Readonly<Record<string, Json>> = {
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': { type: ['integer', 'string'] },
  'io.k8s.apimachinery.pkg.api.resource.Quantity': { type: ['number', 'string'] },
};

/** Without references, and refusing fields that the type does not have. */
function inlined(definitions: Definitions, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => inlined(definitions, item));
  if (!isObject(value)) return value;
  const { $ref, ...own } = value;
  if (typeof $ref === 'string') {
    const name = $ref.slice(prefix.length);
    return loose[name] ?? inlined(definitions, definitions[name]);
  }
  const entries = Object.entries(own).map(([key, inner]) => [key, inlined(definitions, inner)] as const);
  return { ...Object.fromEntries(entries), ...(isObject(own['properties']) && { additionalProperties: false }) };
}

/** The file name by which kubeconform looks for a schema, as in its template below. */
function schemaName(apiVersion: string, kind: string): string {
  const [group = '', version = ''] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  const [shortGroup = ''] = group.split('.');
  return `${kind.toLowerCase()}${shortGroup === '' ? '' : `-${shortGroup}`}-${version}.json`;
}

function writeSchemas(folder: string, version: string, objects: readonly KubeObject[]): void {
  const { definitions } = JSON.parse(readFileSync(openApiFile(version) ?? '', 'utf8')) as {
    readonly definitions: Definitions;
  };
  for (const { apiVersion, kind } of objects) {
    const file = path.join(folder, schemaName(apiVersion, kind));
    if (existsSync(file)) continue;
    const definition = Object.values(definitions).find((candidate) =>
      candidate['x-kubernetes-group-version-kind']?.some(
        (type) => type.kind === kind && [type.group, type.version].filter(Boolean).join('/') === apiVersion,
      ),
    );
    // A kind that the release does not have has no schema, which kubeconform reports.
    if (definition !== undefined) writeFileSync(file, JSON.stringify(inlined(definitions, definition)));
  }
}

export interface Validation {
  readonly validCount: number;
  /** Such as `Deployment ephemeral-storage-exporter: …`. */
  readonly faults: readonly string[];
}

interface Resource {
  readonly kind: string;
  readonly name: string;
  readonly status: string;
  readonly msg: string;
}

export function validate(version: string, objects: readonly KubeObject[]): Validation {
  const folder = mkdtempSync(path.join(tmpdir(), 'ephemeral-storage-exporter-test-'));
  try {
    writeSchemas(folder, version, objects);
    const location = path.join(folder, '{{.ResourceKind}}{{.KindSuffix}}.json');
    const args = ['-strict', '-output', 'json', '-verbose', '-schema-location', location];
    const input = objects.map((object) => JSON.stringify(object)).join('\n---\n');
    const { stdout, stderr } = spawnSync('kubeconform', args, { encoding: 'utf8', input, maxBuffer: 2 ** 26 });
    if (stderr !== '') throw new Error(`kubeconform: ${stderr}`);
    const { resources } = JSON.parse(stdout) as { readonly resources: readonly Resource[] };
    const invalid = resources.filter(({ status }) => status !== 'statusValid');
    return {
      validCount: resources.length - invalid.length,
      faults: invalid.map(({ kind, name, status, msg }) => `${kind} ${name}: ${status}: ${msg}`),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
