/** The versions with which the tests run, read from the files that pin them. */
import { readdirSync, readFileSync } from 'node:fs';

import { markdownTable } from '../src/commands/metrics.js';

const root = new URL('../', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, root), 'utf8');

/** The first group of the pattern in the file. */
function pinned(file: string, pattern: RegExp): string {
  const [, version] = pattern.exec(read(file)) ?? [];
  if (version === undefined) throw new Error(`${file} has no ${String(pattern)}`);
  return version;
}

function moduleVersion(folder: string, module: string): string {
  const escaped = module.replaceAll(/[./]/g, String.raw`\$&`);
  return pinned(`test/programs/${folder}/go.mod`, new RegExp(String.raw`^\s(?:require )?${escaped} v(\S+)`, 'm'));
}

/** Modules of Kubernetes and Prometheus count from 0: v0.37.1 is Kubernetes 1.37.1, v0.315.0 is Prometheus 3.15.0. */
const kubernetesOf = (version: string): string => version.replace(/^0\./, '1.');
const prometheusOf = (version: string): string =>
  version.replace(/^0\.3(\d\d)\./, (_text, minor: string) => `3.${Number(minor)}.`);

/** Such as `1.27.16`, in order. */
const openApiVersions = (): readonly string[] =>
  Array.from(read('test/programs/modules-helm/openapi.txt').matchAll(/^v(\S+)/gm), ([, version = '']) => version);

/** Of the kubelets whose code has decided the cases of these files, in order. */
function caseVersions(kind: string): readonly string[] {
  const files = readdirSync(new URL('test/cases/eviction/', root)).filter((name) => name.startsWith(kind));
  return files.map((name) => pinned(`test/cases/eviction/${name}`, /^\{"kubeletVersion":"v([\d.]+)"/)).sort();
}

export interface TriedVersion {
  readonly program: string;
  readonly versions: readonly string[];
  readonly tried: string;
  /** A file or folder with the tests. */
  readonly tests: string;
}

function triedKubernetes(): readonly TriedVersion[] {
  const server = moduleVersion('modules-kubernetes', 'k8s.io/kubernetes');
  return [
    {
      program: 'kube-apiserver',
      versions: [server],
      tried: `Real, with etcd ${moduleVersion('modules-kubernetes', 'go.etcd.io/etcd/server/v3')}; kubelets are simulated. Lists, watches, 20,000 pods, restarts, the permissions of overlays and chart, tokens`,
      tests: 'test/programs/real-api-server',
    },
    {
      program: 'Kubernetes OpenAPI',
      versions: openApiVersions(),
      tried:
        'All objects of kinds of Kubernetes that the chart renders, in all modes, are valid; unknown fields are not',
      tests: 'test/programs/chart.test.ts',
    },
    {
      program: 'kubelet, limits',
      versions: caseVersions('limits'),
      tried: 'Which pods its own code evicts for which limit, for random pods',
      tests: 'test/node/limit-cases.test.ts',
    },
    {
      program: 'kubelet, node pressure',
      versions: caseVersions('rank'),
      tried: 'In which order its own code evicts pods, for random pods and nodes',
      tests: 'test/node/victim-cases.test.ts',
    },
    {
      program: 'kubelet, thresholds',
      versions: caseVersions('thresholds'),
      tried: 'Its eviction thresholds in bytes and inodes, for random configurations',
      tests: 'test/node/threshold-cases.test.ts',
    },
    {
      program: 'kubelet, evicted pods',
      versions: [pinned('test/cases/eviction/README.md', /live cluster of Kubernetes ([\d.]+\d)/)],
      tried: 'Pods of a live cluster before, at and after their eviction, as recorded',
      tests: 'test/cases/eviction/recorded',
    },
    {
      program: 'kubectl',
      versions: [kubernetesOf(moduleVersion('modules', 'k8s.io/kubectl'))],
      tried: 'Overlays and components are rendered and applied; `kubectl ephemeral-storage`',
      tests: 'test/programs/manifests.test.ts',
    },
  ];
}

function triedTools(): readonly TriedVersion[] {
  const prometheus3 = prometheusOf(moduleVersion('modules', 'github.com/prometheus/prometheus'));
  const node = [pinned('.github/workflows/ci.yml', /node-version: (\d+)/), pinned('.ci/run', /^lts=(\d+)/m)];
  return [
    {
      program: 'Helm',
      versions: [moduleVersion('modules-helm', 'helm.sh/helm/v3'), moduleVersion('modules-helm', 'helm.sh/helm/v4')],
      tried: 'The chart is linted, packaged, pushed, rendered and installed into the API server',
      tests: 'test/programs/chart.test.ts',
    },
    {
      program: 'Prometheus Operator',
      versions: [moduleVersion('modules-operator', 'github.com/prometheus-operator/prometheus-operator')],
      tried:
        'Its CRDs in the API server: monitors and rules of the chart and the overlays are applied, changed and removed. The operator configures a Prometheus by them, which scrapes by certificate and token',
      tests: 'test/programs/real-api-server/custom-resources.test.ts',
    },
    {
      program: 'Prometheus and promtool',
      versions: [`2 of the system (2.42.0 in Debian 12)`, prometheus3],
      tried:
        'Scrapes in every format, rules and their tests, alerts, every query of dashboards and pages, with the same results',
      tests: 'test/programs/prometheus-versions.test.ts',
    },
    {
      program: 'Alertmanager',
      versions: ['that of the system (0.25.0 in Debian 12)'],
      tried: 'amtool checks the inhibitions',
      tests: 'test/programs/rules.test.ts',
    },
    {
      program: 'Node.js',
      versions: node,
      tried: `All tests without other programs, on Linux; with the last those over sockets. package.json requires ${pinned('package.json', /"node": ">=([\d.]+)"/)} or later; the image has ${pinned('Dockerfile', /^ARG NODE_IMAGE=node:(\d+)/m)}`,
      tests: '.ci/run',
    },
  ];
}

export const triedVersions = (): readonly TriedVersion[] => [...triedKubernetes(), ...triedTools()];

export function versionsTable(): string {
  return markdownTable(
    ['Program', 'Versions', 'What was tried', 'Tests'],
    triedVersions().map(({ program, versions, tried, tests }) => [program, versions.join(', '), tried, `\`${tests}\``]),
  );
}
