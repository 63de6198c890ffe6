import type { Clock } from '../base/clock.js';
import type { Config } from '../config/schema.js';
import { StatusHandler } from '../server/status-handler.js';
import { StatusSource } from '../status/status-source.js';
import { readHomepage } from '../version.js';
import { statusInputs, type StatusInputsOptions } from './status-inputs.js';

export interface StatusPageOptions
  extends StatusInputsOptions, Omit<ConstructorParameters<typeof StatusSource>[0], 'inputs'> {
  readonly config: Pick<Config, 'web'>;
  readonly clock: Clock;
}

/** The status page and its JSON. Only this module leads to their code: it is to be imported when they are needed. */
export function statusPage(options: StatusPageOptions): StatusHandler {
  const source = new StatusSource({ ...options, inputs: statusInputs(options) });
  const { telemetryPath: metricsPath } = options.config.web;
  return new StatusHandler({ ...options, source, metricsPath, documentationUrl: readHomepage() });
}
