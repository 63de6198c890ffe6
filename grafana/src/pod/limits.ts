import type { Section } from '../dashboard.js';
import { limitsTable } from '../limits.js';
import { timeSeriesPanel } from '../panels.js';
import { limitRatios } from '../queries.js';
import { ratioSteps, thresholds } from '../states.js';
import { units } from '../units.js';
import { itself } from './queries.js';

export const limits: Section = {
  title: 'Limits',
  panels: [
    timeSeriesPanel({
      title: 'Usage of limits',
      description:
        'Usage ÷ limit of each limit that the kubelet enforces: of the pod, of a container, of an emptyDir. The kubelet evicts the pod above 100 %, unless it is static or critical.',
      unit: units.ratio,
      span: 12,
      thresholds: thresholds(ratioSteps),
      queries: [{ expr: limitRatios(itself), legend: '{{rule}} {{container}}{{volume}}' }],
    }),
    limitsTable({
      title: 'Limits now',
      description:
        'The limits of the pod, highest usage first, with the time left at its present growth. Raise the first one, or stop the growth.',
      span: 12,
      labels: ['limit'],
      hidden: ['namespace', 'pod', 'node'],
      matchers: itself.matchers,
      near: '0',
      count: 50,
    }),
  ],
};
