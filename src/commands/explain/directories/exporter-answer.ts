import { messageOf, UserError } from '../../../lib/base/errors.js';
import type { SummarizedPod } from '../../../people/report/pod-directories.js';
import { NotFoundError } from '../../../people/status/view-errors.js';
import { type ClusterFlags, withViews } from '../../../serve/source/one-shot.js';
import type { CommandContext } from '../../context.js';

interface ExporterAnswer {
  /** Undefined where there is none: a pod can be listed without it. */
  readonly summary: SummarizedPod | undefined;
  /** Lines about what is missing. */
  readonly notes: readonly string[];
}

/** Reads what an exporter has of the pod, or the kubelet. */
export async function askExporter(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  options: ClusterFlags,
  context: CommandContext,
): Promise<ExporterAnswer> {
  try {
    const summaries: SummarizedPod[] = [];
    await withViews(options, context, { namespaceOf: () => namespace, podName: name }, async ({ source }) => {
      const reader = await source.read(context.stopSignal);
      const { data } = await reader.object('pod', [namespace, name], {});
      summaries.push(...data.pods.flatMap((pod) => (pod.state === 'unmeasured' ? [] : [pod])));
    });
    return { summary: summaries[0], notes: [] };
  } catch (error) {
    if (!(error instanceof UserError || error instanceof NotFoundError)) throw error;
    return { summary: undefined, notes: [`No summary to compare with: ${messageOf(error)}`] };
  }
}
