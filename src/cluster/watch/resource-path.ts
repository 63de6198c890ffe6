export const resources = ['nodes', 'pods'] as const;
export type Resource = (typeof resources)[number];

const kinds: Readonly<Record<Resource, string>> = { nodes: 'Node', pods: 'Pod' };

export interface ObjectCollectionOptions {
  readonly resource: Resource;
  /** All namespaces without it. Ignored for nodes. */
  readonly namespace?: string | undefined;
  /** In the syntax of the API's parameters. Lists and watches must use the same ones, or objects would come and go. */
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

/** The objects that are listed and watched. */
export interface ObjectCollection {
  readonly path: string;
  /** Of one object; a list is of kind `${kind}List`. */
  readonly kind: string;
  readonly selectors: Readonly<Record<string, string>>;
}

export function collectionOf({
  resource,
  namespace,
  labelSelector,
  fieldSelector,
}: ObjectCollectionOptions): ObjectCollection {
  const isNamespaced = resource === 'pods' && namespace !== undefined;
  return {
    path: isNamespaced ? `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods` : `/api/v1/${resource}`,
    kind: kinds[resource],
    selectors: {
      ...(labelSelector === undefined ? {} : { labelSelector }),
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
    },
  };
}
