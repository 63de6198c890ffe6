import { z } from 'zod';

import { list, namespaces, noTwoAlike, selectorForms, selectorValue } from './collections.js';
import { choice, optionalBoolean } from './scalars.js';
import { asText, fromFlowText, mapped, settingMeta } from './setting.js';
import { isLabelKey } from './values.js';

const workload = z.strictObject({
  name: z
    .string()
    .refine((name) => name.trim() === name && name !== '' && !name.includes('/'))
    .register(settingMeta, {
      allowed: 'a text without "/" and without blanks at its ends',
      help: 'The value of the `workload` label; unique.',
    }),
  selector: selectorValue().register(settingMeta, {
    allowed: `${selectorForms}; {} or "" for every pod`,
    help: 'The pods that belong to it, in the form of a manifest or of kubectl.',
  }),
  namespaces: namespaces({ help: 'The namespaces of these pods. Empty: all.' }),
});

/** Names are compared even while an item has a fault, so that all faults come out at once: hence the `unknown`. */
function nameOf(item: unknown): unknown {
  return typeof item === 'object' && item !== null && 'name' in item ? item.name : undefined;
}

export const workloads = mapped(
  z.strictObject({
    selectors: z
      .array(workload)
      .superRefine(noTwoAlike(nameOf, 'name'), { when: ({ value }) => Array.isArray(value) })
      .readonly()
      .prefault([])
      .register(settingMeta, {
        allowed: 'a list of mappings, each with a name of its own, a selector and, if wanted, namespaces',
        fromText: (text) => fromFlowText(text, asText),
        help: 'Workloads by label selector. They may overlap: a pod counts in each that it belongs to.',
      }),
    labels: list({
      item: z.string().refine(isLabelKey),
      default: [],
      allowed: 'a list of label keys such as app.kubernetes.io/name',
      help: 'One workload for each combination of values among the pods that carry all of these labels.',
    }),
    controllers: optionalBoolean({
      defaultText: 'true when neither selectors nor labels are set, else false',
      help: 'One workload for each controller: Deployment, StatefulSet, DaemonSet, CronJob, …',
    }),
    onMissingNode: choice({
      default: 'partial',
      among: ['partial', 'fail'],
      help: 'What becomes of a workload with pods on a node without data: its sum over the other nodes, marked incomplete, or none.',
    }),
  }),
  ({ controllers, ...same }) => ({
    ...same,
    controllers: controllers ?? (same.selectors.length === 0 && same.labels.length === 0),
  }),
  (value) => value,
).prefault({});
