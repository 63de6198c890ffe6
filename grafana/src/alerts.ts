/** Alerts of the shipped rules. */
import type { AnnotationQuery } from '@grafana/grafana-foundation-sdk/dashboard';

import { by, total } from './queries.js';
import { datasource } from './variables.js';

const firing = 'ALERTS{cluster=~"$cluster", alertname=~"EphemeralStorage.*", alertstate="firing"}';

/** A series of the recording rules, which exists wherever they are evaluated and the exporter is scraped. */
const recorded = 'workload:ephemeral_storage_workload_complete:min{cluster=~"$cluster"}';

/** Number of firing alerts; no series where the rules are not evaluated. */
export const alertsFiring = `${total('count', firing)} or 0 * ${total('count', recorded)}`;

export const alertLabels = ['severity', 'alertname', 'namespace', 'workload', 'pod', 'node'] as const;

/** 1 for each firing alert, by what it is about. */
export const firingAlerts = `max ${by(alertLabels)} (${firing})`;

/** A region in all panels over time while an alert fires; off until it is selected. */
export function alertAnnotation(): AnnotationQuery {
  const annotation = {
    name: 'Alerts',
    datasource,
    enable: false,
    iconColor: 'orange',
    expr: firingAlerts,
    // Versions of Grafana read one or the other.
    target: {
      refId: 'Alerts',
      expr: firingAlerts,
      range: true,
      limit: 100,
      matchAny: false,
      tags: [],
      type: 'dashboard',
    },
    step: '1m',
    titleFormat: '{{alertname}}',
    textFormat: '{{namespace}} {{workload}} {{pod}} {{node}}',
  };
  return annotation;
}
