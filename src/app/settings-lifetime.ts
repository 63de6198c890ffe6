import { isDeepStrictEqual } from 'node:util';

import type { Logger } from '../base/logger.js';
import type { Config } from '../config/schema.js';

/** The settings that a source of the cluster's data is made from: new ones need a new source. */
export function sourceSettings({ cluster, kubelet, cache: { ttlMs, nearTtlMs } }: Config): object {
  return { cluster, kubelet, ttlMs, nearTtlMs };
}

/** Logs a warning for each part of the settings with a change that takes effect after a restart only. */
export function warnOfRestart(former: Config, config: Config, logger: Logger): void {
  const [one, other] = [startSettings(former), startSettings(config)];
  for (const part of ['web', 'log', 'evictions.file'] as const) {
    if (isDeepStrictEqual(one[part], other[part])) continue;
    logger.warn('these settings take effect after a restart', { settings: part });
  }
}

/** What the status page shows is read at each request. */
function startSettings({ log, web, evictions }: Config) {
  return { log, 'evictions.file': evictions.file, web: { ...web, clusterName: undefined, links: undefined } };
}
