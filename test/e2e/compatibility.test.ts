// @module-tag sockets

import { expect, it } from 'vitest';

import { emptyScenario, type Scenario } from '../../sim/model/scenario.js';
import { Exporter, settingsOf } from '../support/exporter.js';
import { mib } from '../support/units.js';

/** One container above its limit beside one without a limit and a sidecar, an emptyDir above its own, a tmpfs. */
const scenario: Scenario = {
  ...emptyScenario('node-1'),
  kubeletsEvict: false,
  populate: ({ model }) => {
    model.addPod({
      namespace: 'shop',
      name: 'web-0',
      nodeName: 'node-1',
      containers: [
        {
          name: 'proxy',
          kind: 'sidecar',
          rootfs: { initialBytes: mib },
          logs: { initialBytes: mib },
          limitBytes: 8 * mib,
        },
        { name: 'app', rootfs: { initialBytes: 9 * mib }, logs: { initialBytes: 3 * mib }, limitBytes: 8 * mib },
        { name: 'free', rootfs: { initialBytes: mib }, logs: { initialBytes: 0 }, mounts: ['cache'] },
      ],
      volumes: [
        { name: 'cache', source: 'emptyDir', sizeLimitBytes: 4 * mib, content: { initialBytes: 5 * mib } },
        { name: 'scratch', source: 'emptyDir', medium: 'Memory', content: { initialBytes: 2 * mib } },
        { name: 'settings', source: 'configMap', content: { initialBytes: mib } },
      ],
    });
  },
};

/** Families with their header lines, without those about the exporter itself. */
const familiesOf = (text: string): readonly string[] =>
  text.split(/(?=^# HELP )/m).filter((family) => /^# HELP ephemeral_storage_(?!exporter_)/.test(family));

it('families of the other exporter are served while its name is set, and only then', async () => {
  await using exporter = await Exporter.start({ scenario });
  await exporter.settled();
  const own = familiesOf((await exporter.scrape()).answer.text);
  expect(own.join('')).not.toContain('pod_name');

  await exporter.app.apply(settingsOf('metrics: {compatibility: k8s-ephemeral-storage-metrics}'));
  const both = familiesOf((await exporter.scrape()).answer.text);
  const added = both.filter((family) => !own.includes(family));
  await expect(added.join('')).toMatchFileSnapshot('../golden/compatibility.txt');

  await exporter.app.apply(settingsOf(''));
  expect(familiesOf((await exporter.scrape()).answer.text)).toEqual(own);
});
