import { pressureTransitionMsOf } from '../model/node-object.js';
import { evictionHardOf } from '../model/pressure-thresholds.js';
import type { NodeSpec } from '../model/specs.js';

/** The body of `/configz`: some of the effective settings, without empty ones, as a kubelet serves them. */
export function kubeletConfiguration(spec: NodeSpec): object {
  const evictionHard = evictionHardOf(spec);
  return {
    kubeletconfig: {
      enableServer: true,
      syncFrequency: '1m0s',
      address: '0.0.0.0',
      port: 10_250,
      authentication: {
        x509: { clientCAFile: '/etc/kubernetes/pki/ca.crt' },
        webhook: { enabled: true, cacheTTL: '2m0s' },
        anonymous: { enabled: false },
      },
      authorization: {
        mode: 'Webhook',
        webhook: { cacheAuthorizedTTL: '5m0s', cacheUnauthorizedTTL: '30s' },
      },
      nodeStatusUpdateFrequency: '10s',
      imageGCHighThresholdPercent: 85,
      imageGCLowThresholdPercent: 80,
      volumeStatsAggPeriod: '1m0s',
      maxPods: 110,
      ...(Object.keys(evictionHard).length > 0 && { evictionHard }),
      evictionPressureTransitionPeriod: goDuration(pressureTransitionMsOf(spec)),
      containerLogMaxSize: '10Mi',
      containerLogMaxFiles: 5,
      localStorageCapacityIsolation: true,
    },
  };
}

/** `5m0s`, `30s`. */
function goDuration(durationMs: number): string {
  const seconds = Math.round(durationMs / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
