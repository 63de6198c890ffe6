import { isDeepStrictEqual } from 'node:util';

import { formatSelector, type LabelSelector, type Requirement } from '../../cluster/kube/selector.js';
import { type Config, skippedByDefault } from '../../config/schema.js';
import type { LogFields, Logger } from '../../lib/base/logger.js';
import { patternsWithoutFamily } from '../../metrics/exposition/families.js';

const contradictoryText =
  'no node is of two kinds: separate selectors of cluster.skipNodes with ";" in text, or as a list';
const unverifiedText =
  'kubelet TLS verification is disabled: a machine in the middle can read the token; set kubelet.tls.caFile';

/** What is allowed but hardly meant, each with what it is about. */
export function settingWarnings(config: Config): readonly (readonly [text: string, fields: LogFields])[] {
  const patterns = patternsWithoutFamily(config.metrics);
  const selectors = contradictorySelectors(config.cluster.skipNodes);
  return [
    ...patterns.map((pattern) => ['pattern matches no metric family (patterns are anchored)', { pattern }] as const),
    ...selectors.map((selector) => [contradictoryText, { selector }] as const),
    ...(isKubeletTlsUnverified(config) ? [[unverifiedText, {}] as const] : []),
  ];
}

/** Selectors that require several kinds of virtual nodes at once: none matches a node. */
export function contradictorySelectors(selectors: readonly LabelSelector[]): readonly string[] {
  const isOfKind = (requirement: Requirement): boolean => skippedByDefault.includes(formatSelector([requirement]));
  return selectors.filter((selector) => selector.filter(isOfKind).length > 1).map(formatSelector);
}

export function isKubeletTlsUnverified({ kubelet: { access, tls } }: Config): boolean {
  return access === 'direct' && tls.insecureSkipVerify;
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
