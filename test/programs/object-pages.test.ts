// @module-tag sockets

import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { emptyScenario, type Scenario } from '../../sim/model/scenario.js';
import type { PodSpec } from '../../sim/model/specs.js';
import { launchOptions } from '../support/browser.js';
import { Exporter } from '../support/exporter.js';
import { untilEnd } from '../support/fixtures.js';
import { overlappingTexts } from '../support/overlapping-texts.js';
import { isInstalled } from '../support/programs.js';
import { mib } from '../support/units.js';

/** No API server lets these names in; the pages must not rely on it. */
const hostileName = `"><img src=x onerror="window.isHacked=1">'\u202E`;

/** As long as names may be, with no place to break. */
const longest = (letter: string): string => `${letter.repeat(63)}.`.repeat(4).slice(0, 253);

const pod = (name: string, nodeName: string, more: Partial<PodSpec> = {}): PodSpec => ({
  namespace: 'shop',
  name,
  nodeName,
  owner: { kind: 'StatefulSet', name: 'cart' },
  containers: [
    { name: 'main', rootfs: { initialBytes: 90 * mib }, logs: { initialBytes: mib }, limitBytes: 100 * mib },
    { name: 'proxy', rootfs: { initialBytes: mib }, logs: { initialBytes: 3 * mib } },
  ],
  volumes: [
    { name: 'cache', source: 'emptyDir', sizeLimitBytes: 64 * mib, content: { initialBytes: 3 * mib } },
    { name: 'config', source: 'configMap', content: { initialBytes: 4_096 } },
  ],
  ...more,
});

/** It is evicted for its emptyDir soon. */
const doomed = pod('doomed-0', 'node-1', {
  containers: [{ name: 'main', rootfs: { initialBytes: mib }, logs: { initialBytes: mib } }],
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
  containers: [
    { name: hostileName, rootfs: { initialBytes: 300 * mib }, logs: { initialBytes: mib }, limitBytes: 200 * mib },
  ],
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

const it = test.extend('exporter', ({ onTestFinished }) => untilEnd(onTestFinished, startExporter()));

let browser: Browser;

async function visit(
  exporter: Exporter,
  path: string,
  options: BrowserContextOptions = {},
): Promise<AsyncDisposable & { readonly page: Page; readonly complaints: readonly string[] }> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(`http://127.0.0.1:${String(exporter.app.ports[0])}${path}`);
  return { page, complaints, [Symbol.asyncDispose]: () => context.close() };
}

async function evictionPath(exporter: Exporter): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${String(exporter.app.ports[0])}/api/v1/evictions`);
  const { items } = (await response.json()) as { readonly items: readonly { readonly uid: string }[] };
  return `/evictions/${items[0]?.uid ?? 'none'}`;
}

/** One page of each kind; that of the eviction is known once there is one. */
const pathsOf = async (exporter: Exporter): Promise<readonly string[]> => [
  '/',
  '/problems',
  '/nodes',
  '/nodes/node-1',
  '/nodes/node-2',
  '/search?search=cart',
  '/containers',
  '/volumes',
  '/pods/shop/cart-0',
  '/pods/shop/cart-9',
  '/pods/shop/doomed-0',
  `/pods/${'x'.repeat(63)}/${longest('p')}`,
  `/pods/${encodeURIComponent(hostileName)}/${encodeURIComponent(hostileName)}`,
  '/workloads/shop/statefulset/cart',
  `/workloads/${encodeURIComponent(hostileName)}/statefulset/${encodeURIComponent(hostileName)}`,
  '/namespaces/shop',
  '/pods',
  '/workloads',
  '/namespaces',
  '/evictions',
  await evictionPath(exporter),
];

const mainText = (page: Page): Promise<string> => page.locator('main').innerText();

describe.skipIf(!isInstalled('chromium'))('the pages of things in a browser', () => {
  beforeAll(async () => {
    browser = await chromium.launch(launchOptions());
  });
  afterAll(async () => {
    await browser.close();
  });

  it.for(['light', 'dark'] as const)(
    'axe finds nothing on any page in %s colours',
    async (colorScheme, { exporter }) => {
      for (const path of await pathsOf(exporter)) {
        await using visited = await visit(exporter, path, { colorScheme });
        await visited.page.evaluate(axe.source);
        for (const details of await visited.page.locator('main summary').all()) await details.click();
        const { violations } = await visited.page.evaluate<axe.AxeResults>('axe.run()');
        const found = violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html.slice(0, 120))]);
        expect([path, found]).toEqual([path, []]);
      }
    },
  );

  it.for([360, 390, 800, 1280])('each page fits into %i pixels', async (width, { exporter }) => {
    for (const path of await pathsOf(exporter)) {
      await using visited = await visit(exporter, path, { viewport: { width, height: 844 } });
      for (const details of await visited.page.locator('main summary').all()) await details.click();
      const shown = await visited.page.evaluate<number>('document.documentElement.scrollWidth');
      expect([path, shown <= width]).toEqual([path, true]);
    }
  });

  it('no text lies on another one at 390, 1024, 1280 and 1920 pixels, printed or unfolded', async ({ exporter }) => {
    for (const path of await pathsOf(exporter)) {
      await using visited = await visit(exporter, path);
      const { page } = visited;
      for (const width of [390, 1024, 1280, 1920]) {
        await page.setViewportSize({ width, height: 844 });
        for (const media of ['screen', 'print'] as const) {
          await page.emulateMedia({ media });
          expect([path, width, media, await overlappingTexts(page)]).toEqual([path, width, media, []]);
        }
      }
      await page.evaluate('for (const details of document.querySelectorAll("details")) details.open = true');
      expect([path, 'unfolded', await overlappingTexts(page)]).toEqual([path, 'unfolded', []]);
    }
  });

  it('names wrap on a telephone only where they have the whole width of their row', async ({ exporter }) => {
    for (const path of await pathsOf(exporter)) {
      await using visited = await visit(exporter, path, { viewport: { width: 390, height: 844 } });
      const squeezed = await visited.page.evaluate(`[...document.querySelectorAll('.stack tbody th')]
        .filter((name) => name.querySelector('a')?.getClientRects().length > 1 && name.offsetWidth < name.parentElement.offsetWidth - 1)
        .map(({ innerText }) => innerText)`);
      expect([path, squeezed]).toEqual([path, []]);
    }
  });

  it('names that are markup are text on each page: nothing runs or is loaded', async ({ exporter }) => {
    for (const path of await pathsOf(exporter)) {
      await using visited = await visit(exporter, path);
      expect(await visited.page.locator('img, iframe, script:not(:last-child)').count()).toBe(0);
      expect(await visited.page.evaluate('window.isHacked')).toBeUndefined();
      expect([path, visited.complaints]).toEqual([path, []]);
    }
  });

  it('each link of each page leads to a page that there is', async ({ exporter }) => {
    const checked = new Set<string>();
    for (const path of await pathsOf(exporter)) {
      await using visited = await visit(exporter, path);
      const hrefs = await visited.page.evaluate<readonly string[]>(
        '[...document.querySelectorAll("main a")].map(({ href }) => href)',
      );
      expect([path, hrefs.length > 0]).toEqual([path, true]);
      for (const href of hrefs) {
        if (checked.has(href) || href.includes('#')) continue;
        checked.add(href);
        expect([path, href, (await fetch(href)).status]).toEqual([path, href, 200]);
      }
    }
  });

  it('the pages say the same without JavaScript, and refresh in place with it', async ({ exporter }) => {
    await using plain = await visit(exporter, '/pods/shop/cart-0', { javaScriptEnabled: false });
    expect(await mainText(plain.page)).toContain('Near a limit: the pod uses 98Mi of its limit of 100Mi');
    await using visited = await visit(exporter, '/problems');
    await visited.page.locator('#settings > summary').click();
    await visited.page.getByRole('button', { name: 'Refresh' }).click();
    await expect.poll(() => visited.page.locator('#fault').isHidden()).toBe(true);
    expect(await visited.page.locator('#settings').getAttribute('open')).toBe('');
  });

  it('why a pod was evicted is two clicks away from the overview: evictions, and the eviction', async ({
    exporter,
  }) => {
    await using visited = await visit(exporter, '/');
    const { page } = visited;
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Evictions' }).click();
    await page.locator('#part-list tr', { hasText: 'doomed-0' }).locator('a[href*="evictions/"]').click();
    expect(await page.locator('#part-verdict').innerText()).toContain('emptyDir work above its size limit of 20Mi');
    expect(await page.locator('#message').innerText()).toContain('Usage of EmptyDir volume "work" exceeds the limit');
  });
});
