import { expect, it } from 'vitest';

import { footerLinks, objectLinks } from '../../../src/people/status/html/frame.js';
import { aReading } from '../../support/snapshot-builders.js';
import { aPage } from '../../support/view-pages.js';

const link = (url: string) => ({ name: 'Grafana', url });
const values = { cluster: 'prod', namespace: 'shop', pod: 'cart-0', node: 'node-1', workload: undefined };

it.each([
  ['all of whose names are known', 'https://g/{namespace}/{pod}', ['https://g/shop/cart-0']],
  ['with the name of the cluster too', 'https://g/{cluster}?n={node}', ['https://g/prod?n=node-1']],
  ['that needs a name that is not known', 'https://g/{pod}/{workload}', []],
  ['that is the same on all pages', 'https://g/{cluster}', []],
  ['without placeholders', 'https://g/', []],
])('on the page of a pod, a link %s leads to %j', (_case, url, hrefs) => {
  expect(objectLinks([link(url)], values).map(({ url: href }) => href)).toEqual(hrefs);
});

it('values are percent-encoded, so that a name is never more than a part of an address', () => {
  const [found] = objectLinks([link('https://g/d?pod={pod}')], { pod: `a/b?c=d&e#f%"<\ud800` });
  expect(found?.url).toBe('https://g/d?pod=a%2Fb%3Fc%3Dd%26e%23f%25%22%3C%EF%BF%BD');
});

it('a value is not taken for a placeholder', () => {
  expect(objectLinks([link('https://g/{pod}/{node}')], { pod: '{node}', node: 'n' })[0]?.url).toBe(
    'https://g/%7Bnode%7D/n',
  );
});

it('braces around anything but a word stay as they are', () => {
  expect(footerLinks({ clusterName: 'a b', links: [link('https://g/{cluster}?q={"a":1}')] })[0]?.url).toBe(
    'https://g/a%20b?q={"a":1}',
  );
});

it('links of things are on the pages of these things, the others in the footer of all', async () => {
  const links = [link('https://g/pod/{pod}'), { name: 'Cluster', url: 'https://g/{cluster}' }];
  const pod = await aPage(aReading(), {
    kind: 'pod',
    path: ['shop', 'cart-0'],
    status: { links, clusterName: 'prod' },
  });
  expect(pod.html).toContain('<a href="https://g/pod/cart-0">Grafana</a>');
  expect(pod.html).toContain('<a href="https://g/prod">Cluster</a>');
  const node = await aPage(aReading(), {
    kind: 'node',
    path: ['node-1'],
    status: { links: [...links, { name: 'Node', url: 'https://g/node/{node}' }], clusterName: 'prod' },
  });
  expect(node.html).toContain('<a href="https://g/node/node-1">Node</a>');
  expect(node.html).not.toContain('https://g/pod/');
  const list = await aPage(aReading(), { kind: 'pods', status: { links, clusterName: 'prod' } });
  expect(list.html).not.toContain('https://g/pod/');
  expect(list.html).toContain('https://g/prod');
});
