import * as z from 'zod/mini';

import { list, namespaces, noTwoAlike, selectorForms, selectorValue } from './collections.js';
import { optionalBoolean } from './scalars.js';
import { asText, fromFlowText, mapped, section, settingMeta } from './setting.js';
import { isLabelKey } from './values.js';

const workload = z.strictObject({
  name: z
    .string()
    .check(z.refine((name) => name.trim() === name && name !== '' && !name.includes('/')))
    .register(settingMeta, {
      allowed: 'a text without "/" and without leading or trailing blanks',
      help: 'Value of the label `workload`. Unique.',
    }),
  selector: selectorValue().register(settingMeta, {
    allowed: `${selectorForms}; {} or "" for all pods`,
    help: 'Label selector of its pods, as in a manifest or as in kubectl.',
  }),
  namespaces: namespaces({ help: 'Namespaces of its pods. Empty: all.' }),
});

/** `unknown`, as names are compared even while an item has a fault, so that one run reports all faults. */
function nameOf(item: unknown): unknown {
  return typeof item === 'object' && item !== null && 'name' in item ? item.name : undefined;
}

export const workloads = mapped(
  section({
    selectors: z
      .prefault(
        z.readonly(
          z
            .array(workload)
            .check(z.superRefine(noTwoAlike(nameOf, 'name'), { when: ({ value }) => Array.isArray(value) })),
        ),
        [],
      )
      .register(settingMeta, {
        allowed: 'a list of mappings, each with a unique name, a selector and, optionally, namespaces',
        fromText: (text) => fromFlowText(text, asText),
        help: 'Workloads by label selector. They may overlap: a pod counts towards each workload that it belongs to.',
      }),
    labels: list({
      item: z.string().check(z.refine(isLabelKey)),
      default: [],
      allowed: 'a list of label keys such as app.kubernetes.io/name',
      help: 'Label keys whose values form workloads: one workload for each combination of values among the pods that have all of these labels.',
    }),
    controllers: optionalBoolean({
      defaultText: 'true when neither selectors nor labels are set, else false',
      help: 'One workload for each controller: Deployment, StatefulSet, DaemonSet, CronJob, …',
    }),
  }),
  ({ controllers, ...same }) => ({
    ...same,
    controllers: controllers ?? (same.selectors.length === 0 && same.labels.length === 0),
  }),
  (value) => value,
);
