import type { Section } from '../dashboard.js';
import { limitsTable } from '../limits.js';

export const nearLimits: Section = {
  title: 'Who is near a limit',
  panels: [
    limitsTable({
      title: 'Limits nearly reached',
      description:
        'The 50 limits closest to eviction, from the share chosen at the top: of the whole pod, of one container (of its logs alone on nodes with a filesystem of its own for images) and of an emptyDir. Above 100 % the kubelet evicts the pod, static and critical ones excepted. Raise the limit, or find what grows.',
      span: 24,
      height: 10,
      near: '$near',
      count: 50,
    }),
  ],
};
