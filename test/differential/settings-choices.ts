/** Settings that histories begin with and change to: some for each section of the schema. */
import { loadConfig } from '../../src/config/load.js';
import type { Config } from '../../src/config/schema.js';
import { rootSection } from '../../src/config/settings.js';

export type SectionName = keyof Config;

/** `PATH=VALUE`, as of `--set`. */
type Choices = Readonly<Record<string, readonly string[]>>;

const selectors = (items: string): string => `workloads.selectors=[${items}]`;

/** Overlapping ones, with names that need escapes. */
const overlapping = selectors(
  [
    String.raw`{name: 'say "hi"', selector: "app in (a,b)"}`,
    String.raw`{name: 'back\slash', selector: app=a, namespaces: [shop]}`,
    '{name: 日本語, selector: {}}',
  ].join(', '),
);

const byLabels = 'workloads.labels=app,tier';

/** The first of each section is the default. A section without any fails the test of the generator. */
export const choices: Readonly<Record<SectionName, Choices>> = {
  cluster: {
    default: [],
    podSelector: ['cluster.podSelector=app in (a,b)'],
    nodeSelector: ['cluster.nodeSelector=zone=z1'],
    shards: ['cluster.shard=0', 'cluster.totalShards=2'],
    namespaces: ['cluster.namespaces=shop,bank'],
    allNamespaces: ['cluster.namespaces=shop,bank,kiosk'],
    oneNode: ['cluster.node=n1'],
  },
  kubelet: {
    default: [],
    readConfig: ['kubelet.readConfig=true'],
    requestTimeout: ['kubelet.requestTimeout=5s', 'kubelet.readConfig=true'],
    maxConcurrentRequests: ['kubelet.maxConcurrentRequests=32', 'kubelet.readConfig=true'],
  },
  cache: {
    onScrape: ['cache.nearTtl=0'],
    noCache: ['cache.ttl=0', 'cache.nearTtl=0'],
    shortTtl: ['cache.ttl=15s', 'cache.nearTtl=0'],
    longTtl: ['cache.ttl=5m', 'cache.nearTtl=0'],
    nearTtl: ['cache.ttl=55s'],
  },
  workloads: {
    controllers: [],
    labels: [byLabels],
    overlapping: [overlapping],
    labelsAndSelectors: [byLabels, selectors('{name: a--x, selector: tier=x}')],
    all: [byLabels, overlapping, 'workloads.controllers=true'],
    none: ['workloads.controllers=false'],
  },
  attribution: { measured: [], even: ['attribution=even'] },
  evictions: {
    default: [],
    short: ['evictions.retention=1m'],
  },
  metrics: {
    default: [],
    full: ['metrics.profile=full'],
    compatibility: ['metrics.profile=full', 'metrics.compatibility=k8s-ephemeral-storage-metrics'],
    maxSeries: ['metrics.maxSeries=120', 'metrics.profile=full'],
    fewSeries: ['metrics.maxSeries=20'],
    nothingAllowed: ['metrics.allow=no_such_family'],
    someAllowed: ['metrics.allow=ephemeral_storage_pod_.*;ephemeral_storage_node_.*'],
    denied: ['metrics.profile=full', 'metrics.deny=ephemeral_storage_container_.*'],
    nodeLabels: ['metrics.profile=full', 'metrics.nodeLabels=zone'],
    levels: ['metrics.levels=workload,node,container'],
  },
  scrape: { default: [], short: ['scrape.defaultTimeout=5s'] },
  web: { default: [], named: ['web.clusterName=another'] },
  /** Reads the machine that it runs on. */
  agent: { default: [] },
  log: { default: [], debug: ['log.level=debug'] },
};

export const sectionNames = [...rootSection.children.keys()] as readonly SectionName[];

/** The name of the choice for each section. */
export type Settings = Readonly<Record<SectionName, string>>;

/** Choices under which a core may be watched again at any time: see `World`. */
const lastingChoices: Readonly<Partial<Record<SectionName, readonly string[]>>> = {
  cluster: ['default', 'shards'],
  cache: ['onScrape', 'noCache', 'shortTtl', 'longTtl'],
  // A list brings back records that were forgotten under other settings.
  evictions: ['default'],
};

export function choicesOf(section: SectionName, isLasting: boolean): readonly string[] {
  const lasting = isLasting ? lastingChoices[section] : undefined;
  return lasting ?? Object.keys(choices[section]);
}

/**
 * Back-offs of workloads are as long as the shortest time between two compared scrapes: how often a workload has failed is
 * forgotten at a reload, and must not show.
 */
const always = ['kubelet.access=proxy', 'cache.maxBackoff=1s'];

/** Each choice is checked once: no rule between two sections forbids any of them. */
export class SettingsReader {
  readonly #configs = new Map<string, Config>();

  configOf(settings: Settings): Config {
    const entries = sectionNames.map((section) => [section, this.#with(section, settings[section])[section]]);
    return Object.fromEntries(entries) as Config; // one for each section
  }

  #with(section: SectionName, choice: string): Config {
    const key = `${section}: ${choice}`;
    const assignments = [...always, ...(choices[section][choice] ?? [])];
    const config = this.#configs.get(key) ?? loadConfig({ environment: {}, assignments, flags: {} });
    this.#configs.set(key, config);
    return config;
  }
}
