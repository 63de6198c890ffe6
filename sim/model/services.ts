import { type ClusterModelOptions, ensureNamespace } from './namespaces.js';
import { serviceObject, type SimulatedService } from './service-object.js';
import type { ServiceSpec } from './specs.js';

/** The Services of the simulated cluster. Every one becomes an object and an event in the store. */
export class Services {
  readonly #options: ClusterModelOptions;
  readonly #services = new Map<string, SimulatedService>();

  constructor(options: ClusterModelOptions) {
    this.#options = options;
  }

  get(namespace: string, name: string): SimulatedService | undefined {
    return this.#services.get(`${namespace}/${name}`);
  }

  /** Adds a Service, and its namespace if it does not exist. */
  add(spec: ServiceSpec): void {
    const { store, schedule, random } = this.#options;
    ensureNamespace(this.#options, spec.namespace);
    const service = { spec, uid: random.uuid(), createdAtMs: schedule.nowMs };
    this.#services.set(`${spec.namespace}/${spec.name}`, service);
    store.put(serviceObject(service));
  }
}
