/** Random histories of a cluster and its exporter. */
import fc from 'fast-check';

import type { FamilyFilter } from '../../src/metrics/exposition/selection.js';
import { type SharedParts, sharedParts } from '../support/living-core.js';
import {
  allNamespaces,
  change,
  type ChangeKind,
  changeKinds,
  changesWithin,
  type Dice,
  newNode,
  newPod,
  pick,
} from './changes.js';
import { type ClusterModel, newKubelet } from './cluster-model.js';
import type { Draws } from './draws.js';
import { choicesOf, type SectionName, sectionNames, type Settings, SettingsReader } from './settings-choices.js';
import { filters, OtherRequests, World } from './world.js';

interface DrawnChange extends Dice {
  readonly kind: ChangeKind;
}

/** How the scrape of a step is read, see {@link World}. */
export const scrapeKinds = ['plain', 'overlapping', 'late', 'after a hurried one', 'after the status page'] as const;
type ScrapeKind = (typeof scrapeKinds)[number];

interface Step extends Dice {
  readonly changes: readonly DrawnChange[];
  /** While the scrape runs. */
  readonly meanwhile: readonly DrawnChange[];
  readonly pauseMs: number;
  readonly scrape: ScrapeKind;
  /** Of the settings; undefined: none. */
  readonly reload: SectionName | undefined;
}

export interface History {
  readonly isLasting: boolean;
  /** For each section, the number of a choice. */
  readonly settings: readonly number[];
  readonly nodeCount: number;
  readonly pods: readonly Dice[];
  readonly steps: readonly Step[];
}

const number = fc.nat(1_000_000);
const dice = { x: number, y: number, z: number };

const changeOf = (kinds: readonly ChangeKind[]): fc.Arbitrary<DrawnChange> =>
  fc.record({ kind: fc.constantFrom(...kinds), ...dice });

/** What shows only together with something else. */
const often: readonly ChangeKind[] = ['summaries fail', 'summaries fail', 'unknown pods', 'unknown pods', 'pod added'];

/** At least a second: see the settings of all histories. */
const pauses = [1_000, 1_000, 10_000, 30_000, 56_000, 61_000, 115_000];

const step: fc.Arbitrary<Step> = fc.record({
  ...dice,
  changes: fc.array(changeOf([...changeKinds, ...often]), { maxLength: 4 }),
  meanwhile: fc.array(changeOf(changesWithin), { maxLength: 2 }),
  pauseMs: fc.constantFrom(...pauses, 630_000),
  scrape: fc.constantFrom<ScrapeKind>('plain', 'plain', ...scrapeKinds),
  reload: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, fc.constantFrom(...sectionNames)),
});

export const history: fc.Arbitrary<History> = fc.record({
  isLasting: fc.boolean(),
  settings: fc.array(fc.nat(1_000), { minLength: sectionNames.length, maxLength: sectionNames.length }),
  nodeCount: fc.integer({ min: 1, max: 4 }),
  pods: fc.array(fc.record(dice), { maxLength: 10 }),
  steps: fc.array(step, { minLength: 2, maxLength: 8 }),
});

/** Shared by all histories. */
export interface HistoryParts extends SharedParts {
  readonly settings: SettingsReader;
}

export function historyParts(): HistoryParts {
  return { ...sharedParts(), settings: new SettingsReader() };
}

/** Throws when the expositions of the two cores differ. */
export async function live(drawn: History, draws: Draws, parts: HistoryParts): Promise<void> {
  try {
    await liveThrough(drawn, draws, parts);
  } catch (error) {
    if (drawn.isLasting || !(error instanceof OtherRequests)) throw error;
    draws.add('round', 'ended early, as requests in the background differed');
  }
}

async function liveThrough(drawn: History, draws: Draws, parts: HistoryParts): Promise<void> {
  let settings = settingsOf(drawn);
  for (const section of sectionNames) draws.add('setting', `${section}: ${settings[section]}`);
  await using world = await World.start({
    parts,
    config: parts.settings.configOf(settings),
    isWatchedAnew: drawn.isLasting,
    prepare: (model, nowMs) => {
      populate(model, nowMs, drawn);
    },
  });
  await world.scrape(filters[0]);
  for (const each of drawn.steps) {
    await world.pass(each.pauseMs);
    if (each.reload !== undefined) {
      const changed = { ...settings, [each.reload]: choiceOf(each.reload, drawn, each.x) };
      draws.add('setting', `${each.reload}: ${changed[each.reload]}`);
      const isTaken = await world.reload(parts.settings.configOf(changed));
      draws.add('reload', `${each.reload}${isTaken ? '' : ' (refused)'}`);
      if (isTaken) settings = changed;
      await world.pass(1_000);
    }
    for (const drawnChange of each.changes) perform(world, drawnChange, drawn, draws);
    // A name is free for another workload from the scrape after the one that did not need it any longer.
    if (freesName(each)) {
      await world.disturb('scrape');
      await world.pass(1_000);
    }
    await scrape(world, each, drawn, draws);
    if (!hasPast(each, settings) && (await world.scrapeStarted(parts.settings.configOf(settings)))) {
      draws.add('scrape', 'as one that has just started');
    }
  }
}

/** Whether what is served may depend on more than what API server and kubelets say at this moment. */
function hasPast(each: Step, { cache, cluster, kubelet, metrics }: Settings): boolean {
  const isExpired = ['onScrape', 'shortTtl'].includes(cache) && each.pauseMs >= 115_000;
  const isFetchedNow = cache === 'noCache' || (isExpired && isScrapedOnce(each));
  const hasNewConfiguration = each.meanwhile.some(({ kind }) => kind === 'configuration changed');
  const hasOldConfiguration = kubelet !== 'default' && (each.pauseMs < 630_000 || hasNewConfiguration);
  const knowsGoneNodes = cluster === 'nodeSelector';
  const isCapped = ['maxSeries', 'fewSeries'].includes(metrics); // with the series of evictions
  return !isFetchedNow || hasOldConfiguration || knowsGoneNodes || isCapped;
}

function isScrapedOnce(each: Step): boolean {
  return ['plain', 'after a hurried one'].includes(each.scrape) && !freesName(each);
}

function freesName({ changes }: Step): boolean {
  return changes.some(({ kind }) => kind === 'name free again');
}

async function scrape(world: World, each: Step, drawn: History, draws: Draws): Promise<void> {
  const filter: FamilyFilter = (each.y % 4 === 0 ? pick(filters, each.z) : undefined) ?? filters[0];
  const meanwhile = (): void => {
    for (const drawnChange of each.meanwhile) perform(world, drawnChange, drawn, draws);
  };
  switch (each.scrape) {
    case 'plain':
      await world.scrape(filter);
      break;
    case 'overlapping':
      if (!(await world.scrapeTwice(filter, meanwhile))) return;
      break;
    case 'late':
      await world.scrapeLate(filter, async () => {
        meanwhile();
        await world.pass(1_000);
      });
      break;
    case 'after a hurried one':
    case 'after the status page':
      await world.disturb(each.scrape === 'after a hurried one' ? 'hurried' : 'status');
      meanwhile();
      await world.scrape(filter);
      break;
  }
  draws.add('scrape', each.scrape);
}

/**
 * A core that is watched again remembers deletions from then on, and has pods in the order of a list, namespace by namespace,
 * where the other one has them in the order in which they came.
 */
function boundsOf({ isLasting }: History) {
  return isLasting
    ? { maxGhostMs: 25_000, namespaces: allNamespaces.slice(0, 1) }
    : { maxGhostMs: 55_000, namespaces: allNamespaces };
}

function perform(world: World, { kind, ...numbers }: DrawnChange, drawn: History, draws: Draws): void {
  const monotonicMs = world.clock.monotonicMs();
  const context = { ...numbers, model: world.model, nowMs: world.clock.nowMs(), monotonicMs, ...boundsOf(drawn) };
  if (change(kind, context)) draws.add('change', kind);
}

function choiceOf(section: SectionName, { isLasting }: History, drawnNumber: number): string {
  return pick(choicesOf(section, isLasting), drawnNumber) ?? '';
}

function settingsOf(drawn: History): Settings {
  const entries = sectionNames.map((section, index) => [section, choiceOf(section, drawn, drawn.settings[index] ?? 0)]);
  return Object.fromEntries(entries) as Settings; // one for each section
}

function populate(model: ClusterModel, nowMs: number, drawn: History): void {
  const { nodeCount, pods, isLasting, settings } = drawn;
  for (let index = 0; index < nodeCount; index += 1) {
    const name = `n${index}`;
    model.setNode(newNode(name, model.newUid(), index * 7));
    model.kubelets.set(name, newKubelet(index === 3 ? undefined : nowMs, index));
  }
  if (!isLasting && (settings[0] ?? 0) % 2 === 0) model.forbiddenNamespaces.add('kiosk');
  for (const numbers of pods) {
    const nodeName = pick(model.nodes, numbers.x >> 4)?.name;
    model.setPod(newPod({ ...numbers, model, nowMs, monotonicMs: 0, ...boundsOf(drawn) }, nodeName));
  }
}
