import { systemClock } from '../../src/lib/base/clock.js';
import { silentLogger } from '../../src/lib/base/logger.js';
import { App, type AppOptions } from '../../src/serve/app/app.js';
import { never } from './signals.js';

/** The exporter on the clock of the system. */
export function startApp(options: Pick<AppOptions, 'config' | 'credentials'> & Partial<AppOptions>): Promise<App> {
  const host = { name: 'test-host', nodeName: undefined };
  const defaults = { host, clock: systemClock, random: Math.random, logger: silentLogger, version: '0.0.0-test' };
  return App.start({ ...defaults, ...options }, never);
}
