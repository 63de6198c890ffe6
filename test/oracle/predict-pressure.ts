/** Series of the kernel's pressure stall information. */
import type { RawIo, RawPodStats, RawSummary } from './raw.js';
import type { Labels, Prediction } from './series.js';

/** A node that has never waited for its disk does not measure. */
export function predictPressure(
  prediction: Prediction,
  { node }: RawSummary,
  pods: readonly { readonly stats: RawPodStats }[],
): void {
  const totals = [node.io?.psi?.some?.total, node.io?.psi?.full?.total].filter((total) => total !== undefined);
  if (totals.length > 0 && totals.every((total) => total === 0)) return;
  predictTotals(prediction, { of: 'node', labels: { node: node.nodeName } }, node.io);
  for (const { stats } of pods) {
    const { namespace, name } = stats.podRef;
    predictTotals(prediction, { of: 'pod', labels: { namespace, pod: name, node: node.nodeName } }, stats.io);
  }
}

/** The kernel counts in microseconds. */
function predictTotals(
  prediction: Prediction,
  { of, labels }: { readonly of: string; readonly labels: Labels },
  io: RawIo | undefined,
): void {
  const seconds = (total: number | undefined): number | undefined => (total === undefined ? undefined : total / 1e6);
  prediction.add(`${of}_io_pressure_waiting_seconds_total`, labels, seconds(io?.psi?.some?.total));
  prediction.add(`${of}_io_pressure_stalled_seconds_total`, labels, seconds(io?.psi?.full?.total));
}
