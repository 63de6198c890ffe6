import { gzipSync } from 'node:zlib';

import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { emptyScenario, type Scenario } from '../../sim/model/scenario.js';
import type { PodSpec } from '../../sim/model/specs.js';
import { launchOptions, visited } from '../support/browser.js';
import { Exporter } from '../support/exporter.js';
import { overlappingTexts } from '../support/overlapping-texts.js';
import { cartPod, containerSpec } from '../support/pod-specs.js';
import { isInstalled } from '../support/programs.js';
import { mib } from '../support/units.js';

/** No API server lets these names in; the pages must not rely on it. */
const hostileName = `"><img src=x onerror="window.isHacked=1">'\u202E`;

/** As long as names may be, with no place to break. */
const longest = (letter: string): string => `${letter.repeat(63)}.`.repeat(4).slice(0, 253);

const pod = (name: string, nodeName: string, more: Partial<PodSpec> = {}): PodSpec =>
  cartPod(name, nodeName, {
    containers: [
      containerSpec(90 * mib, mib, { limitBytes: 100 * mib }),
      containerSpec(mib, 3 * mib, { name: 'proxy' }),
    ],
    volumes: [
      { name: 'cache', source: 'emptyDir', sizeLimitBytes: 64 * mib, content: { initialBytes: 3 * mib } },
      { name: 'config', source: 'configMap', content: { initialBytes: 4_096 } },
    ],
    ...more,
  });

/** It is evicted for its emptyDir soon. */
const doomed = pod('doomed-0', 'node-1', {
  containers: [containerSpec(mib, mib)],
  volumes: [
    {
      name: 'work',
      source: 'emptyDir',
      sizeLimitBytes: 20 * mib,
      content: { initialBytes: mib, bytesPerSecond: mib / 10 },
    },
  ],
});

const hostilePod = pod(hostileName, 'node-1', {
  namespace: hostileName,
  owner: { kind: 'StatefulSet', name: hostileName },
  containers: [containerSpec(300 * mib, mib, { name: hostileName, limitBytes: 200 * mib })],
  volumes: [{ name: hostileName, source: 'emptyDir', sizeLimitBytes: mib, content: { initialBytes: 3 * mib } }],
});

const scenario: Scenario = {
  ...emptyScenario('node-1', 'node-2', longest('n')),
  populate: ({ model }) => {
    for (let index = 0; index < 6; index += 1) model.addPod(pod(`cart-${index}`, 'node-1'));
    model.addPod(pod('cart-9', 'node-2'));
    model.addPod(doomed);
    model.addPod(pod(longest('p'), longest('n'), { namespace: 'x'.repeat(63) }));
  },
};

/** node-2 has no data any longer, and one pod was evicted. */
async function startExporter(): Promise<Exporter> {
  const exporter = await Exporter.start({ scenario });
  await exporter.synced();
  for (let step = 0; step < 6; step += 1) {
    await exporter.clock.advance(30_000);
    await exporter.scrape();
  }
  await exporter.cluster.setFault('node-2', 'status:500');
  await exporter.clock.advance(120_000);
  exporter.cluster.model.addPod(hostilePod);
  await exporter.clock.advance(120_000);
  return exporter;
}

let exporter: Exporter;
let browser: Browser;

const visit = (path: string, options: BrowserContextOptions = {}) =>
  visited(browser, { url: `http://127.0.0.1:${String(exporter.app.ports[0])}${path}`, options });

async function evictionUid(): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${String(exporter.app.ports[0])}/api/v1/evictions`);
  const { items } = (await response.json()) as { readonly items: readonly { readonly uid: string }[] };
  return items[0]?.uid ?? 'none';
}

/** One page of each kind. */
const pages: readonly (readonly [name: string, path: string])[] = [
  ['overview', '/'],
  ['problems', '/problems'],
  ['exporter', '/exporter'],
  ['nodes', '/nodes'],
  ['a node', '/nodes/node-1'],
  ['a node without data', '/nodes/node-2'],
  ['search', '/search?search=cart'],
  ['containers', '/containers'],
  ['volumes', '/volumes'],
  ['a pod', '/pods/shop/cart-0'],
  ['a pod without data', '/pods/shop/cart-9'],
  ['an evicted pod', '/pods/shop/doomed-0'],
  ['a pod of long names', `/pods/${'x'.repeat(63)}/${longest('p')}`],
  ['a hostile pod', `/pods/${encodeURIComponent(hostileName)}/${encodeURIComponent(hostileName)}`],
  ['a workload', '/workloads/shop/statefulset/cart'],
  [
    'a hostile workload',
    `/workloads/${encodeURIComponent(hostileName)}/statefulset/${encodeURIComponent(hostileName)}`,
  ],
  ['a namespace', '/namespaces/shop'],
  ['pods', '/pods'],
  ['workloads', '/workloads'],
  ['namespaces', '/namespaces'],
  ['evictions', '/evictions'],
  ['an eviction', '/evictions/UID'],
];

const checkedLinks = new Set<string>();

async function expectLinksToLead(page: Page): Promise<void> {
  const hrefs = await page.evaluate<readonly string[]>(
    '[...document.querySelectorAll("main a")].map(({ href }) => href)',
  );
  expect(hrefs.length).toBeGreaterThan(0);
  for (const href of hrefs) {
    if (checkedLinks.has(href) || href.includes('#')) continue;
    checkedLinks.add(href);
    expect([href, (await fetch(href)).status]).toEqual([href, 200]);
  }
}

/** At widths of a telephone and of screens, and printed: no text lies on another one. */
async function expectNoOverlaps(page: Page): Promise<void> {
  for (const width of [390, 1024, 1280, 1920]) {
    await page.setViewportSize({ width, height: 844 });
    for (const media of ['screen', 'print'] as const) {
      await page.emulateMedia({ media });
      expect([width, media, await overlappingTexts(page)]).toEqual([width, media, []]);
    }
  }
  await page.emulateMedia({ media: 'screen' });
}

/** On a telephone, names wrap only where they have the whole width of their row. */
async function expectNoSqueezedNames(page: Page): Promise<void> {
  await page.setViewportSize({ width: 390, height: 844 });
  const squeezed = await page.evaluate(`[...document.querySelectorAll('.stack tbody th')]
    .filter((name) => name.querySelector('a')?.getClientRects().length > 1 && name.offsetWidth < name.parentElement.offsetWidth - 1)
    .map(({ innerText }) => innerText)`);
  expect(squeezed).toEqual([]);
}

async function expectToFit(page: Page): Promise<void> {
  for (const width of [360, 390, 800, 1280, 1600]) {
    await page.setViewportSize({ width, height: 844 });
    const shown = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect([width, shown <= width]).toEqual([width, true]);
  }
}

/** On a telephone, the frame leaves the screen to what is asked for, and shows where it is; on paper nothing stays folded. */
async function expectPlace(page: Page): Promise<void> {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.reload();
  const [top, left, right] = await page.evaluate<readonly [number, number, number]>(`(() => {
    const boxOf = (part) => document.querySelector(part)?.getBoundingClientRect();
    const { left = 0, right = 0 } = boxOf('nav [aria-current]') ?? {};
    return [boxOf('h1').top, left, right];
  })()`);
  expect([top < 120, left >= 0, right <= 390], `${top}, ${left} to ${right}`).toEqual([true, true, true]);
  await page.emulateMedia({ media: 'print' });
  for (const part of await page.locator('details:not(form *) > :not(summary)').all())
    expect(await part.isVisible()).toBe(true);
  await page.emulateMedia({ media: 'screen' });
}

/** In light colours all rules, in dark ones those about colours: the page is otherwise the same. */
async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  for (const [colorScheme, only] of [
    ['light', ''],
    ['dark', `runOnly: ['color-contrast', 'link-in-text-block'],`],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    const { violations } = await page.evaluate<axe.AxeResults>(`axe.run({ ${only} resultTypes: ['violations'] })`);
    const found = violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html.slice(0, 120))]);
    expect([colorScheme, found]).toEqual([colorScheme, []]);
  }
}

const mainText = (page: Page): Promise<string> => page.locator('main').innerText();

describe.skipIf(!isInstalled('chromium'))('the pages of things in a browser', () => {
  beforeAll(async () => {
    exporter = await startExporter();
    browser = await chromium.launch(launchOptions());
  });
  afterAll(async () => {
    await browser.close();
    await exporter[Symbol.asyncDispose]();
  });

  it.each(pages)(
    'the page is text that fits and is legible, whatever is in names, folded and unfolded, and its links lead to pages: %s',
    async (_name, path) => {
      await using visiting = await visit(path.replace('UID', await evictionUid()));
      const { page, complaints } = visiting;
      expect(await page.locator('img, iframe, script:not(:last-child)').count()).toBe(0);
      await expectLinksToLead(page);
      await expectNoSqueezedNames(page);
      await expectNoOverlaps(page);
      await expectPlace(page);
      expect(gzipSync(await page.content()).length).toBeLessThan(60_000);
      await page.evaluate('for (const details of document.querySelectorAll("details")) details.open = true');
      expect(['unfolded', await overlappingTexts(page)]).toEqual(['unfolded', []]);
      await expectToFit(page);
      await expectAccessible(page);
      expect(await page.evaluate('window.isHacked')).toBeUndefined();
      expect(complaints).toEqual([]);
    },
  );

  it('the pages say the same without JavaScript, and refresh in place with it', async () => {
    await using plain = await visit('/pods/shop/cart-0', { javaScriptEnabled: false });
    expect(await mainText(plain.page)).toContain('Near a limit: the pod uses 98Mi of its limit of 100Mi');
    expect(await plain.page.locator('.copy').count()).toBe(0);
    await using visiting = await visit('/exporter');
    await visiting.page.locator('#fold-configuration-0 > summary').click();
    await visiting.page.getByRole('button', { name: 'Refresh' }).click();
    await expect.poll(() => visiting.page.locator('#fault').isHidden()).toBe(true);
    expect(await visiting.page.locator('#fold-configuration-0').getAttribute('open')).toBe('');
  });

  it('a command is copied with its button, also where the page has no secure context, and can be again after a refresh', async () => {
    await using visiting = await visit('/pods/shop/cart-0');
    const { page } = visiting;
    await page.evaluate(`document.addEventListener('copy', () => { window.copied = String(getSelection()); })`);
    const button = page.locator('#part-verdict .copy').first();
    const command = await page.locator('#part-verdict code').first().innerText();
    await button.click();
    const [copied, isUnselected] = await page.evaluate<unknown[]>('[window.copied, getSelection().isCollapsed]');
    expect([await button.innerText(), copied, isUnselected]).toEqual(['Copied', command, true]);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await expect.poll(() => button.innerText()).toBe('Copy');
    expect(await page.locator('.copy').count()).toBe(await page.locator('.commands code').count());
  });

  it('parts of a pod that come and go since the page was loaded do so in it, and others stay as they are', async () => {
    await using visiting = await visit('/pods/shop/cart-0');
    const { page } = visiting;
    const idsOf = (): Promise<readonly string[]> =>
      page.evaluate('Array.from(document.querySelectorAll("[data-document] > *"), ({ id }) => id)');
    const before = await idsOf();
    await page.evaluate(`
      for (const id of ['limits', 'containers']) document.getElementById(id).remove();
      document.getElementById('usage').insertAdjacentHTML('beforebegin', '<section id="gone" data-part></section>');
      document.getElementById('part-facts').setAttribute('data-old', '');
    `);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await expect.poll(idsOf).toEqual(before);
    expect(before).toEqual(expect.arrayContaining(['part-verdict', 'part-facts', 'usage', 'limits', 'containers']));
    expect(await page.locator('[data-old]').count()).toBe(0);
    expect(await page.locator('#fault').isHidden()).toBe(true);
  });

  it('why a pod was evicted is two clicks away from the overview: evictions, and the eviction', async () => {
    await using visiting = await visit('/');
    const { page } = visiting;
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Evictions' }).click();
    await page.locator('main tr', { hasText: 'doomed-0' }).locator('a[href*="evictions/"]').click();
    expect(await page.locator('#part-verdict').innerText()).toContain('emptyDir work above its size limit of 20Mi');
    expect(await page.locator('#part-facts').innerText()).toContain(
      'Usage of EmptyDir volume "work" exceeds the limit',
    );
  });
});
