import type { ShapeName } from './shapes.js';

export type Unit = 'count' | 'bytes' | 'ms' | 'ratio' | 'percent';

interface FigureKind {
  readonly what: string;
  readonly unit: Unit;
  /** The most that is good enough. */
  readonly targets?: Readonly<Partial<Record<ShapeName, number>>>;
}

const mega = 1e6;

/** All figures, in the order of the table. */
const figureKinds = {
  seriesPerPod: {
    what: 'series for a pod',
    unit: 'count',
    targets: { 'normal-100': 16, 'large-1000': 16, 'huge-5000': 5 },
  },
  seriesCount: { what: 'series of a scrape', unit: 'count' },
  scrapeBytes: {
    what: 'bytes of a scrape',
    unit: 'bytes',
    targets: { 'normal-100': 8 * mega, 'large-1000': 80 * mega, 'huge-5000': 120 * mega },
  },
  gzipBytes: { what: 'bytes of a scrape with gzip', unit: 'bytes' },
  warmCpu: { what: 'warm scrape, CPU to the last byte', unit: 'ms' },
  warmToNaive: {
    what: 'warm scrape ÷ naive prom-client, CPU',
    unit: 'ratio',
    targets: { 'normal-100': 1 / 40, 'large-1000': 1 / 60, 'huge-5000': 1 / 60 },
  },
  warmToCopy: { what: 'warm scrape ÷ memcpy of the output, CPU', unit: 'ratio', targets: { 'huge-5000': 4 } },
  gzipToPlain: {
    what: 'warm scrape with gzip ÷ plain, CPU',
    unit: 'ratio',
    targets: { 'normal-100': 0.5, 'large-1000': 0.5, 'huge-5000': 0.5 },
  },
  warmWall: { what: 'warm scrape with gzip, wall', unit: 'ms' },
  warmBlock: {
    what: 'longest loop block in a warm scrape',
    unit: 'ms',
    targets: { 'normal-100': 5, 'large-1000': 10, 'huge-5000': 20 },
  },
  steadyBlock: {
    what: 'longest loop block in a steady scrape',
    unit: 'ms',
    targets: { 'normal-100': 5, 'large-1000': 10, 'huge-5000': 20 },
  },
  ingestToParse: {
    what: 'ingest of a node, half of its pods changed, ÷ JSON.parse of its body',
    unit: 'ratio',
    targets: { 'normal-100': 2.5, 'large-1000': 2.5, 'huge-5000': 2 },
  },
  newIngestToParse: {
    what: 'ingest of a node with new sizes alone ÷ JSON.parse of its body',
    unit: 'ratio',
    targets: { 'normal-100': 3.5, 'large-1000': 3.5, 'huge-5000': 3.5 },
  },
  ingestCpu: { what: 'ingest of a node, CPU', unit: 'ms' },
  steadyWall: {
    what: 'steady scrape, wall',
    unit: 'ms',
    targets: { 'normal-100': 300, 'large-1000': 1_000, 'huge-5000': 3_000 },
  },
  steadyFailed: {
    what: 'steady scrapes that failed',
    unit: 'count',
    targets: { 'normal-100': 0, 'large-1000': 0, 'huge-5000': 0 },
  },
  steadyScrapeCpu: { what: 'steady scrape, CPU', unit: 'ms' },
  steadyGc: { what: 'steady interval, garbage collection', unit: 'ms' },
  changesCpu: {
    what: 'next scrape after 2,000 changed pods, CPU',
    unit: 'ms',
    targets: { 'normal-100': 200, 'large-1000': 300, 'huge-5000': 600 },
  },
  changesEventsCpu: { what: 'their 2,000 watch events, CPU', unit: 'ms' },
  steadyCpu: {
    what: 'steady CPU, a scrape a minute (node-local: 15 s), of a core',
    unit: 'percent',
    targets: { 'normal-100': 1, 'large-1000': 4, 'huge-5000': 25, 'node-local': 0.25 },
  },
  keptToFull: {
    what: 'kept per pod in the store ÷ full object',
    unit: 'ratio',
    targets: { 'normal-100': 0.06, 'large-1000': 0.06, 'huge-5000': 0.06 },
  },
  keptBytes: {
    what: 'kept per pod in the store',
    unit: 'count',
    targets: { 'huge-5000': 600 },
  },
  rss: {
    what: 'RSS after the steady scrapes',
    unit: 'bytes',
    targets: { 'normal-100': 110 * mega, 'large-1000': 300 * mega, 'huge-5000': 900 * mega, 'node-local': 60 * mega },
  },
  listening: {
    what: 'start to listening',
    unit: 'ms',
    targets: { 'normal-100': 400, 'large-1000': 400, 'huge-5000': 400 },
  },
  ready: {
    what: 'start to ready',
    unit: 'ms',
    targets: { 'normal-100': 2_000, 'large-1000': 5_000, 'huge-5000': 25_000 },
  },
  firstScrape: { what: 'first scrape with all handshakes, wall', unit: 'ms' },
  slowReaders: {
    what: 'RSS growth with three slow readers ÷ output',
    unit: 'ratio',
    targets: { 'normal-100': 0.1, 'large-1000': 0.1, 'huge-5000': 0.1 },
  },
  hangingWall: {
    what: '10 % of the kubelets hang: scrape within 10 s',
    unit: 'ms',
    targets: {
      'small-10': 10_000,
      'normal-100': 10_000,
      'dense-100': 10_000,
      'large-1000': 10_000,
      'huge-5000': 10_000,
    },
  },
  hangingMissing: {
    what: '10 % of the kubelets hang: other nodes without data',
    unit: 'count',
    targets: { 'small-10': 0, 'normal-100': 0, 'dense-100': 0, 'large-1000': 0, 'huge-5000': 0 },
  },
  listBlock: {
    what: 'longest loop block in the first lists',
    unit: 'ms',
    targets: { 'normal-100': 30, 'large-1000': 30, 'huge-5000': 30 },
  },
  listMemory: {
    what: 'RSS of the first lists beside what is kept',
    unit: 'bytes',
    targets: { 'normal-100': 60 * mega, 'large-1000': 60 * mega, 'huge-5000': 60 * mega },
  },
  pagedListBlock: {
    what: 'longest loop block in lists in pages',
    unit: 'ms',
    targets: { 'normal-100': 30, 'large-1000': 30, 'huge-5000': 30 },
  },
  pagedListMemory: {
    what: 'RSS of lists in pages beside what is kept',
    unit: 'bytes',
    targets: { 'normal-100': 60 * mega, 'large-1000': 60 * mega, 'huge-5000': 60 * mega },
  },
  eventsBlock: {
    what: 'longest loop block in 30,000 watch events',
    unit: 'ms',
    targets: { 'normal-100': 20, 'large-1000': 20, 'huge-5000': 20 },
  },
  idleCpu: { what: 'CPU of a minute without scrapes, of a core', unit: 'percent', targets: { 'small-10': 0.083 } },
  idleRss: { what: 'RSS without scrapes', unit: 'bytes', targets: { 'small-10': 60 * mega } },
  toEphemeralStorageMetrics: {
    what: 'steady CPU ÷ k8s-ephemeral-storage-metrics at 15 s',
    unit: 'ratio',
    targets: { 'normal-100': 0.15, 'large-1000': 0.1 },
  },
  toKubeStateMetrics: {
    what: 'CPU for a series ÷ kube-state-metrics, at 15 s',
    unit: 'ratio',
    targets: { 'normal-100': 1, 'large-1000': 0.8 },
  },
  costPerPod: {
    what: 'steady CPU for a pod ÷ that of normal-100',
    unit: 'ratio',
    targets: { 'large-1000': 1.1, 'huge-5000': 1.2 },
  },
} as const satisfies Readonly<Record<string, FigureKind>>;

export type FigureKey = keyof typeof figureKinds;

/** What was measured for one shape; a figure that was not measured is missing. */
export type Figures = Partial<Record<FigureKey, number>>;

export function kindOf(key: FigureKey): FigureKind {
  return figureKinds[key];
}

/** In the order of the table. */
export const figureKeys = Object.keys(figureKinds) as readonly FigureKey[];
