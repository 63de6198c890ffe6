/** Alerts of the shipped rules. */
import type { AnnotationQuery } from '@grafana/grafana-foundation-sdk/dashboard';

import { by } from './queries.js';
import { datasource } from './variables.js';

const firing = 'ALERTS{cluster=~"$cluster", alertname=~"EphemeralStorage.*", alertstate="firing"}';

/** 1 for each firing alert, by what it is about. */
const firingAlerts = `max ${by(['severity', 'alertname', 'namespace', 'workload', 'pod', 'node'])} (${firing})`;

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
