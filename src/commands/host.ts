import type { Host } from '../app/resolve-scope.js';
import type { CommandContext } from './context.js';

/** An empty `$NODE_NAME` counts as not set. */
export function hostOf({ hostName, environment }: Pick<CommandContext, 'hostName' | 'environment'>): Host {
  const nodeName = environment['NODE_NAME'];
  return { name: hostName, nodeName: nodeName === '' ? undefined : nodeName };
}
