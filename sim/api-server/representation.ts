import { withManagedFields } from '../model/managed-fields.js';
import { ApiError } from './error.js';
import type { ListPage } from './list.js';
import { columnsOf } from './table-columns.js';
import type { ApiObject, Resource, StoredObject } from './versioned-objects.js';

/** The form of objects that a client requests. */
type Form = 'Object' | 'Table' | 'PartialObjectMetadata';

export interface RepresentationOptions {
  readonly form: Form;
  /** The object in each row of a table: `None`, `Metadata` or `Object`. */
  readonly includeObject: string;
  readonly nowMs: () => number;
}

const kinds: Readonly<Record<Resource, string>> = {
  namespaces: 'Namespace',
  nodes: 'Node',
  pods: 'Pod',
  services: 'Service',
};

/** The first form in the client's order of preference that the server supports. https://www.rfc-editor.org/rfc/rfc9110#name-accept */
export function negotiate(accept: string): Form {
  for (const mediaType of byPreference(accept)) {
    const form = formOf(mediaType);
    if (form !== undefined) return form;
  }
  const message = '406: Not Acceptable\n\nAvailable representations: application/json, application/json;stream=watch';
  throw new ApiError(406, 'NotAcceptable', message, { details: {} });
}

interface MediaType {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

function byPreference(accept: string): readonly MediaType[] {
  const quality = ({ parameters }: MediaType): number => Number(parameters.get('q') ?? 1);
  return accept
    .split(',')
    .map((item) => {
      const [type = '', ...parameters] = item.split(';').map((part) => part.trim());
      return { type, parameters: new Map(parameters.map((parameter) => pair(parameter))) };
    })
    .sort((a, b) => quality(b) - quality(a));
}

function pair(parameter: string): [string, string] {
  const [name = '', value = ''] = parameter.split('=', 2);
  return [name, value];
}

function formOf({ type, parameters }: MediaType): Form | undefined {
  if (!['application/json', 'application/*', '*/*'].includes(type)) return undefined;
  const as = parameters.get('as');
  if (as === undefined) return 'Object';
  if (parameters.get('g') !== 'meta.k8s.io' || parameters.get('v') !== 'v1') return undefined;
  if (as === 'Table') return 'Table';
  return as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList' ? 'PartialObjectMetadata' : undefined;
}

/** Objects of one resource in the form that the client requests. */
export class Representation {
  readonly #resource: Resource;
  readonly #options: RepresentationOptions;
  #hasColumns = false;

  constructor(resource: Resource, options: RepresentationOptions) {
    this.#resource = resource;
    this.#options = options;
  }

  object(stored: StoredObject): object {
    switch (this.#options.form) {
      case 'Object':
        return { kind: kinds[this.#resource], apiVersion: 'v1', ...this.#sent(stored) };
      case 'Table':
        return this.#table({ resourceVersion: stored.object.metadata['resourceVersion'] }, [stored]);
      case 'PartialObjectMetadata':
        return this.#partial(stored);
    }
  }

  list({ metadata, items }: ListPage): object {
    switch (this.#options.form) {
      case 'Object':
        return {
          kind: `${kinds[this.#resource]}List`,
          apiVersion: 'v1',
          metadata,
          items: items.map((stored) => this.#sent(stored)),
        };
      case 'Table':
        return this.#table(metadata, items);
      case 'PartialObjectMetadata':
        return {
          kind: 'PartialObjectMetadataList',
          apiVersion: 'meta.k8s.io/v1',
          metadata,
          items: items.map((stored) => this.#partial(stored)),
        };
    }
  }

  /** The object of a BOOKMARK: a resourceVersion, and the empty structs as Go encodes them. */
  bookmark(resourceVersion: string): object {
    const metadata = { resourceVersion };
    switch (this.#options.form) {
      case 'Object':
        return { kind: kinds[this.#resource], apiVersion: 'v1', metadata, ...emptyObjects[this.#resource] };
      case 'Table':
        return this.#table({ resourceVersion }, []);
      case 'PartialObjectMetadata':
        return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
    }
  }

  #sent({ object }: StoredObject): ApiObject {
    return withManagedFields(this.#resource, object);
  }

  #partial(stored: StoredObject): object {
    return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: this.#sent(stored).metadata };
  }

  /** Only the first table of a watch has columns. */
  #table(metadata: object, items: readonly StoredObject[]): object {
    const { includeObject, nowMs } = this.#options;
    const columnDefinitions = this.#hasColumns ? null : columnsOf(this.#resource);
    this.#hasColumns = true;
    return {
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      metadata,
      columnDefinitions,
      rows: items.map((stored) => ({
        cells: stored.cells(nowMs()),
        ...(includeObject !== 'None' && {
          object:
            includeObject === 'Object'
              ? { kind: kinds[this.#resource], apiVersion: 'v1', ...this.#sent(stored) }
              : this.#partial(stored),
        }),
      })),
    };
  }
}

const emptyObjects: Readonly<Record<Resource, object>> = {
  namespaces: { spec: {}, status: {} },
  nodes: {
    spec: {},
    status: {
      daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
      nodeInfo: {
        machineID: '',
        systemUUID: '',
        bootID: '',
        kernelVersion: '',
        osImage: '',
        containerRuntimeVersion: '',
        kubeletVersion: '',
        kubeProxyVersion: '',
        operatingSystem: '',
        architecture: '',
      },
    },
  },
  pods: { spec: { containers: null }, status: {} },
  services: { spec: {}, status: { loadBalancer: {} } },
};
