import type { NodeSpec } from '../model/specs.js';

/** The default of a kubelet on Linux whose configuration file has no `evictionHard`. */
const defaultEvictionHard: Readonly<Record<string, string>> = {
  'imagefs.available': '15%',
  'imagefs.inodesFree': '5%',
  'memory.available': '100Mi',
  'nodefs.available': '10%',
  'nodefs.inodesFree': '5%',
};

/** The body of `/configz`: some of the effective settings, without empty ones, as a kubelet serves them. */
export function kubeletConfiguration({ evictionHard = defaultEvictionHard }: NodeSpec): object {
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
      evictionPressureTransitionPeriod: '5m0s',
      containerLogMaxSize: '10Mi',
      containerLogMaxFiles: 5,
      localStorageCapacityIsolation: true,
    },
  };
}
