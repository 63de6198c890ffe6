import { type JsonObject, objectsOf } from '../json/json.js';
import type { ContainerKind } from './objects.js';

export interface ListedContainer {
  readonly container: JsonObject;
  readonly kind: ContainerKind;
}

/** Returns the containers of a spec in the order of {@link Pod.containers}. */
export function listContainers({
  initContainers,
  containers,
  ephemeralContainers,
}: JsonObject): readonly ListedContainer[] {
  const list = (value: unknown, kindOf: (container: JsonObject) => ContainerKind): readonly ListedContainer[] =>
    objectsOf(value).map((container) => ({ container, kind: kindOf(container) }));
  return [
    ...list(initContainers, ({ restartPolicy }) => (restartPolicy === 'Always' ? 'sidecar' : 'init')),
    ...list(containers, () => 'app'),
    ...list(ephemeralContainers, () => 'ephemeral'),
  ];
}
