import { createServer, request as httpRequest } from 'node:http';

import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { demoScenario } from '../../sim/model/demo-scenario.js';
import { emptyScenario, type Scenario } from '../../sim/model/scenario.js';
import type { PodSpec } from '../../sim/model/specs.js';
import { scenarioOf } from '../../sim/scenarios/catalogue.js';
import { nodeNamesOf } from '../../sim/scenarios/node-names.js';
import { launchOptions, visited } from '../support/browser.js';
import { Exporter } from '../support/exporter.js';
import { untilEnd } from '../support/fixtures.js';
import { colourOf, darkPalette, lightPalette } from '../support/palette.js';
import { cartPod, containerSpec } from '../support/pod-specs.js';
import { isInstalled } from '../support/programs.js';
import { gib, mib } from '../support/units.js';

const pod = (name: string, nodeName: string, more: Partial<PodSpec> = {}): PodSpec =>
  cartPod(name, nodeName, { containers: [containerSpec(90 * mib, mib, { limitBytes: 100 * mib })], ...more });

const scenario: Scenario = {
  ...emptyScenario('node-1', 'node-2'),
  kubeletsEvict: false,
  populate: ({ model }) => {
    for (let index = 0; index < 6; index += 1) model.addPod(pod(`cart-${index}`, 'node-1'));
    model.addPod(pod('cart-6', 'node-2'));
  },
};

/** Names as long as they get by themselves, near limits on both nodes. */
const longNames: Scenario = {
  ...emptyScenario('node-1', 'node-2'),
  kubeletsEvict: false,
  populate: ({ model }) => {
    for (let index = 0; index < 20; index += 1) {
      model.addPod(
        pod(`a-service-with-a-rather-long-name-that-goes-on-7d9fcb6b5-x2x${index}k`, `node-${1 + (index % 2)}`, {
          namespace: 'a-team-with-a-long-name-production',
          owner: { kind: 'StatefulSet', name: `a-service-${index}` },
        }),
      );
    }
  },
};

const manyNodes: Scenario = { ...longNames, nodes: emptyScenario(...nodeNamesOf(300)).nodes };

/** A node has no data any longer. */
async function startExporter(of: Scenario = scenario, silentNode = 'node-2'): Promise<Exporter> {
  const exporter = await Exporter.start({ scenario: of });
  await exporter.synced();
  await exporter.clock.advance(180_000);
  await exporter.scrape();
  await exporter.cluster.setFault(silentNode, 'status:500');
  await exporter.clock.advance(120_000);
  return exporter;
}

let browser: Browser;
/** Of all tests that leave it as it is. */
let exporter: Exporter;

const visit = (url: string, options: BrowserContextOptions = {}, prepare?: (page: Page) => Promise<void>) =>
  visited(browser, { url, options, prepare });

const urlOf = (exporter: Exporter): string => `http://127.0.0.1:${String(exporter.app.ports[0])}/`;

/** Stops the page's own timers: they go on as the test says. */
const stopTime = async (page: Page): Promise<void> => {
  const now = Date.now();
  await page.clock.install({ time: now - 3_600_000 });
  await page.clock.pauseAt(now);
};

/** Hides and shows the tab as the test says. */
const hideable = async (page: Page): Promise<void> => {
  await stopTime(page);
  await page.addInitScript('Object.defineProperty(document, "hidden", { get: () => window.isTabHidden === true })');
};

const textOf = (page: Page, selector: string): Promise<string> => page.locator(selector).innerText();

const iconOf = async (page: Page): Promise<string> =>
  (await page.locator('link[rel="icon"]').getAttribute('href')) ?? '';

/** One more pod, which the next answer of its kubelet shows. */
async function addBigPod(exporter: Exporter): Promise<void> {
  exporter.cluster.model.addPod(pod('newcomer-0', 'node-1', { containers: [containerSpec(9 * gib)] }));
  await exporter.clock.advance(120_000);
}

describe.skipIf(!isInstalled('chromium'))('the status page in a browser', () => {
  beforeAll(async () => {
    browser = await chromium.launch(launchOptions());
    exporter = await startExporter();
  });
  afterAll(async () => {
    await browser.close();
    await exporter[Symbol.asyncDispose]();
  });

  it('the status page would be saved by its policy if a script got in', async () => {
    await using visiting = await visit(urlOf(exporter));
    await visiting.page.evaluate(`
      document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="window.isHacked=1">');
      document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.isHacked=1' }));
    `);
    await expect.poll(() => visiting.complaints.join('\n')).toContain('Content Security Policy');
    expect(await visiting.page.evaluate('window.isHacked')).toBeUndefined();
  });

  it('the status page refreshes itself and keeps focus and scroll position', async () => {
    await using exporter = await startExporter();
    await using visiting = await visit(urlOf(exporter), { viewport: { width: 1280, height: 600 } }, stopTime);
    const { page } = visiting;
    await page.evaluate('window.isSamePage = true');
    await page.locator('#nodes a[href="./nodes/node-1"]').focus();
    await page.evaluate('window.scrollTo({ top: 100, behavior: "instant" })');
    const before = await textOf(page, '#part-figures');
    await addBigPod(exporter);
    await page.clock.runFor(6_000);
    await expect.poll(() => textOf(page, '#part-figures')).not.toBe(before);
    expect(
      await page.evaluate(
        '[window.isSamePage, document.activeElement.className, document.activeElement.getAttribute("href"), scrollY]',
      ),
    ).toEqual([true, expect.stringContaining('tile'), './nodes/node-1', 100]);
    expect(visiting.complaints).toEqual([]);
  });

  it('the status page refreshes itself every two seconds while nodes have not answered yet', async () => {
    await using visiting = await visit(urlOf(exporter), {}, stopTime);
    const { page, requested } = visiting;
    await page.evaluate('document.getElementById("part-about").toggleAttribute("data-awaiting", true)');
    const answered = page.waitForEvent('requestfinished');
    await page.clock.runFor(3_000);
    await answered;
    await expect.poll(() => page.evaluate('document.querySelectorAll("[data-awaiting]").length')).toBe(0);
    await page.clock.runFor(2_000);
    expect(requested).toHaveLength(2);
  });

  it('the status page rests while it is paused or its tab is hidden, and catches up then', async () => {
    await using visiting = await visit(urlOf(exporter), {}, hideable);
    const { page, requested } = visiting;
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.clock.runFor(30_000);
    expect([requested.length, await textOf(page, '#state')]).toEqual([1, 'Paused.']);
    await page.getByRole('button', { name: 'Resume' }).click();
    await expect.poll(() => requested.length).toBe(2);
    await page.evaluate('window.isTabHidden = true');
    await page.clock.runFor(30_000);
    expect(requested).toHaveLength(2);
    await page.evaluate('window.isTabHidden = false; document.dispatchEvent(new Event("visibilitychange"))');
    await expect.poll(() => requested.length).toBe(3);
  });

  it('the status page waits while text is selected, which a refresh would take away', async () => {
    await using visiting = await visit(urlOf(exporter), {}, stopTime);
    const { page, requested } = visiting;
    await page.evaluate('getSelection().selectAllChildren(document.querySelector("#next-evictions h2"))');
    await page.clock.runFor(30_000);
    expect([requested.length, await textOf(page, '#state')]).toEqual([1, 'Paused while text is selected.']);
    expect(await page.evaluate('String(getSelection())')).not.toBe('');
    await page.evaluate('getSelection().removeAllRanges()');
    await page.clock.runFor(1_000);
    await expect.poll(() => requested.length).toBe(2);
    expect(await textOf(page, '#state')).toBe('');
  });

  it('the status page keeps text that was selected while the answer was on its way', async () => {
    await using exporter = await startExporter();
    await using visiting = await visit(urlOf(exporter), {}, stopTime);
    const { page } = visiting;
    await page.route('**', async (route) => {
      await page.evaluate('getSelection().selectAllChildren(document.querySelector("#next-evictions h2"))');
      await route.continue();
    });
    const before = await textOf(page, '#part-figures');
    await addBigPod(exporter);
    const answered = page.waitForEvent('requestfinished');
    await page.clock.runFor(6_000);
    await answered;
    await page.clock.runFor(2_000);
    expect(await page.evaluate('String(getSelection())')).not.toBe('');
    expect(await textOf(page, '#part-figures')).toBe(before);
  });

  it.for([
    ['no answer', (page: Page) => page.route('**', (route) => route.abort())],
    ['an error', (page: Page) => page.route('**', (route) => route.fulfill({ status: 503, body: 'busy' }))],
    ['another page', (page: Page) => page.route('**', (route) => route.fulfill({ body: '<title>Sign in</title>' }))],
  ] as const)('the status page keeps what it shows when a refresh gets %s', async ([, breakAnswers]) => {
    await using visiting = await visit(urlOf(exporter), {}, stopTime);
    const { page } = visiting;
    const [title, icon] = [await page.title(), await iconOf(page)];
    await breakAnswers(page);
    await page.clock.runFor(6_000);
    await expect.poll(() => textOf(page, '#fault')).toContain('The last refresh failed');
    await page.clock.runFor(2_000);
    expect(await page.title()).toBe(title.replace(/^\(\d\)/, '(?)'));
    expect(decodeURIComponent(await iconOf(page))).toContain('>?</text>');
    expect(await textOf(page, '#age')).toMatch(/^[78] s ago$/);
    expect(await textOf(page, '#next-evictions')).toContain('shop/cart');
    await page.unroute('**');
    await page.clock.runFor(6_000);
    await expect.poll(() => page.locator('#fault').isHidden()).toBe(true);
    expect([await page.title(), await iconOf(page)]).toEqual([title, icon]);
  });

  it.for([
    ['America/New_York', '2026-01-01T02:00:00Z', ' (Dec 31, 9:00:00 PM EST)'],
    ['America/New_York', '2026-01-01T12:00:00Z', ' (7:00:00 AM EST)'],
    ['Asia/Tokyo', '2026-01-31T20:00:00Z', ' (Feb 1, 5:00:00 AM GMT+9)'],
    ['UTC', '2026-01-01T02:00:00Z', ''],
  ] as const)('in %s, the time %s is followed by "%s"', async ([timezoneId, time, local]) => {
    await using visiting = await visit(urlOf(exporter), { timezoneId, locale: 'en-US' }, async (page) => {
      await page.route('**', async (route) => {
        const response = await route.fetch();
        const body = (await response.text()).replace('<main id="main">', `$&<time datetime="${time}">then</time>`);
        await route.fulfill({ response, body });
      });
    });
    const shown = await visiting.page.locator('main > time').innerText();
    expect(shown.replaceAll(/\s/g, ' ')).toBe(`then${local}`);
  });

  it('the status page works below a prefix that the exporter does not know', async () => {
    const port = exporter.app.ports[0];
    const proxy = createServer((incoming, outgoing) => {
      const path = incoming.url?.replace(/^\/clusters\/a\/proxy/, '') ?? '';
      httpRequest({ host: '127.0.0.1', port, path, headers: incoming.headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(outgoing);
      }).end();
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    try {
      const address = proxy.address();
      const url = `http://127.0.0.1:${typeof address === 'object' ? String(address?.port) : ''}/clusters/a/proxy/`;
      await using visiting = await visit(url);
      await visiting.page.getByRole('button', { name: 'Refresh' }).click();
      await expect.poll(() => visiting.requested).toEqual([url, url]);
      await visiting.page.getByRole('link', { name: 'This page as JSON' }).click();
      expect(await textOf(visiting.page, 'body')).toContain('"scope":"whole cluster"');
    } finally {
      proxy.closeAllConnections();
      proxy.close();
    }
  });

  it.for([
    ['light', lightPalette],
    ['dark', darkPalette],
  ] as const)('the status page has the colours of the %s scheme', async ([colorScheme, palette]) => {
    await using visiting = await visit(`${urlOf(exporter)}nodes/node-1`, { colorScheme });
    const shown = await visiting.page.evaluate(
      '[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.querySelector(".icicle .f-logs")).fill]',
    );
    expect(shown).toEqual(['page', 'logs'].map((role) => rgb(colourOf(palette, role))));
  });

  it.for([
    ['of the demo', demoScenario, 'node-5'],
    ['with two silent nodes of five', demoScenario, 'node-2'],
    [
      'whose disks fill up with images',
      scenarioOf({ name: 'images-full', nodeCount: 5, podCount: undefined }),
      'node-5',
    ],
    ['of pods with long names', longNames, 'node-2'],
    ['of 300 nodes', manyNodes, 'node-2'],
  ] as const)(
    'the overview of a cluster %s has all that matters on one screen',
    async ([, of, silentNode], { onTestFinished }) => {
      const exporter = await untilEnd(onTestFinished, startExporter(of, silentNode));
      await using visiting = await visit(urlOf(exporter), { viewport: { width: 1280, height: 800 } });
      const ends = await visiting.page.evaluate<readonly number[]>(
        '["#part-verdicts", "#part-figures", "#next-evictions", "#nodes", "#evictions"].map((part) => document.querySelector(part).getBoundingClientRect().bottom)',
      );
      expect(Math.max(...ends)).toBeLessThan(800);
    },
  );

  it('a refresh with the same values moves nothing', async () => {
    await using visiting = await visit(urlOf(exporter), {}, stopTime);
    const { page, requested } = visiting;
    const boxes =
      'JSON.stringify([...document.querySelectorAll("section, header, table, .tile")].map((part) => { const { x, y, width, height } = part.getBoundingClientRect(); return [x, y, width, height]; }))';
    const before = await page.evaluate(boxes);
    await page.clock.runFor(6_000);
    await expect.poll(() => requested.length).toBe(2);
    await page.clock.runFor(1_000);
    expect(await page.evaluate(boxes)).toBe(before);
  });

  it('a field for names suggests those that the page has, and asks the exporter for none', async () => {
    await using visiting = await visit(urlOf(exporter), {}, stopTime);
    const { page, requested } = visiting;
    await page.focus('#search');
    const names = '[...document.getElementById("search").list.options].map(({ value }) => value)';
    expect(await page.evaluate(names)).toEqual(expect.arrayContaining(['node-1']));
    expect(requested).toHaveLength(1);
  });

  it('words are explained when the keyboard reaches them, and when they are touched', async () => {
    await using visiting = await visit(urlOf(exporter), { hasTouch: true, javaScriptEnabled: false });
    const { page } = visiting;
    const word = page.locator('#part-figures dfn').first();
    const meaning = word.locator('.tip');
    expect(await meaning.isVisible()).toBe(false);
    await word.focus();
    expect(await meaning.isVisible()).toBe(true);
    await page.locator('h2').first().tap();
    expect(await meaning.isVisible()).toBe(false);
    await word.tap();
    expect(await meaning.isVisible()).toBe(true);
  });

  it.for(['pointed at', 'focused'] as const)('Escape closes the meaning of a word that is %s', async (how) => {
    await using visiting = await visit(urlOf(exporter));
    const { page } = visiting;
    const [word, other] = [page.locator('#part-figures dfn').first(), page.locator('#search')];
    const reach = (element: typeof word): Promise<void> => (how === 'focused' ? element.focus() : element.hover());
    await reach(word);
    const id = (await word.getAttribute('aria-describedby')) ?? '';
    expect(await page.locator(`#${id}`).isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    expect(await page.locator(`#${id}`).isVisible()).toBe(false);
    await reach(other);
    await reach(word);
    expect(await page.locator(`#${id}`).isVisible()).toBe(true);
  });

  it('what unfolds is at least 24 pixels high on a telephone', async () => {
    await using visiting = await visit(`${urlOf(exporter)}exporter`, { viewport: { width: 390, height: 844 } });
    const heights = await visiting.page.evaluate<readonly number[]>(
      '[...document.querySelectorAll("summary")].map((each) => each.getBoundingClientRect().height)',
    );
    expect(heights.length).toBeGreaterThan(0);
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(24);
  });

  it('the status page lets the keyboard reach all that can be used, and shows where it is', async () => {
    await using visiting = await visit(urlOf(exporter));
    const { page } = visiting;
    const usable = `[...document.querySelectorAll('a[href], button, input, select, summary, [tabindex="0"]')].filter((element) => element.checkVisibility())`;
    const count = await page.evaluate<number>(`${usable}.length`);
    expect(count).toBeGreaterThan(30);
    for (let index = 0; index < count; index += 1) {
      await page.keyboard.press('Tab');
      const reached = await page.evaluate(
        `[${usable}.indexOf(document.activeElement), getComputedStyle(document.activeElement).outlineStyle]`,
      );
      expect(reached).toEqual([index, 'solid']);
    }
    await page.goto(`${urlOf(exporter)}exporter`);
    await page.locator('#fold-configuration-0 > summary').focus();
    await page.keyboard.press('Enter');
    expect(await textOf(page, '#fold-configuration-0 pre')).toContain('ttl: 55s');
  });
});

function rgb(colour: string): string {
  return `rgb(${[1, 3, 5].map((start) => Number.parseInt(colour.slice(start, start + 2), 16)).join(', ')})`;
}
