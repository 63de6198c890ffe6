import { isDeepStrictEqual } from 'node:util';

import type { Config } from '../config/schema.js';

/** The settings that a source of the cluster's data is made from: new ones need a new source. */
export function sourceSettings({ cluster, kubelet, cache: { ttlMs, nearTtlMs, refresh } }: Config): object {
  return { cluster, kubelet, ttlMs, nearTtlMs, refresh };
}

/** The parts of the settings with a change that takes effect after a restart only. */
export function restartParts(former: Config, config: Config): readonly string[] {
  const [one, other] = [startSettings(former), startSettings(config)];
  return (['web', 'log'] as const).filter((part) => !isDeepStrictEqual(one[part], other[part]));
}

/** What the status page shows is read at each request. */
function startSettings({ log, web }: Config) {
  return { log, web: { ...web, clusterName: undefined, links: undefined } };
}
