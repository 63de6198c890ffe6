import { ConfigError, type SettingFault } from '../../src/config/faults.js';
import { loadConfig } from '../../src/config/load.js';
import type { Config } from '../../src/config/schema.js';
import { assignmentsOf } from '../support/assignments.js';

export function load(sources: Partial<Parameters<typeof loadConfig>[0]>): Config {
  return loadConfig({ environment: {}, flags: {}, ...sources });
}

export function loadText(text: string): Config {
  return load({ file: { path: 'config.yaml', text } });
}

/** The same of `--set`, which has the settings of one process too. */
export function loadSet(text: string): Config {
  return load({ assignments: assignmentsOf(text) });
}

/** The error of settings that must not load. */
export function errorOf(sources: Partial<Parameters<typeof loadConfig>[0]>): ConfigError {
  try {
    load(sources);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('the settings were accepted');
}

export function faultsOf(text: string): readonly SettingFault[] {
  return errorOf({ file: { path: 'config.yaml', text } }).faults;
}

export function faultsOfSet(text: string): readonly SettingFault[] {
  return errorOf({ assignments: assignmentsOf(text) }).faults;
}

/** The lines of the message. */
export function linesOf(text: string): string[] {
  return errorOf({ file: { path: 'config.yaml', text } }).message.split('\n');
}
