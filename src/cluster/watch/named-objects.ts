/**
 * Objects by namespace and name. A map of each namespace: one text for both would be one more for each pod, as long as the two.
 * Iteration sees what is added and removed meanwhile.
 */
export class NamedObjects<T extends { readonly name: string }> {
  readonly #namespaceOf: (object: T) => string | undefined;
  readonly #namespaces = new Map<string, Map<string, T>>();
  #size = 0;

  /** `namespaceOf`: undefined for objects that belong to none. */
  constructor(namespaceOf: (object: T) => string | undefined) {
    this.#namespaceOf = namespaceOf;
  }

  get size(): number {
    return this.#size;
  }

  get(name: string, namespace = ''): T | undefined {
    return this.#namespaces.get(namespace)?.get(name);
  }

  /** Returns the one with the name of `object`, in its namespace. */
  namedAs(object: T): T | undefined {
    return this.get(object.name, this.#namespaceOf(object));
  }

  /** Replaces the one with its name. */
  set(object: T): void {
    const namespace = this.#namespaceOf(object) ?? '';
    const objects = this.#namespaces.get(namespace) ?? new Map<string, T>();
    if (objects.size === 0) this.#namespaces.set(namespace, objects);
    if (!objects.has(object.name)) this.#size += 1;
    objects.set(object.name, object);
  }

  /** Removes the one with its name. */
  delete(object: T): void {
    const namespace = this.#namespaceOf(object) ?? '';
    const objects = this.#namespaces.get(namespace);
    if (objects?.delete(object.name) !== true) return;
    this.#size -= 1;
    if (objects.size === 0) this.#namespaces.delete(namespace);
  }

  *values(): Generator<T> {
    for (const objects of this.#namespaces.values()) yield* objects.values();
  }
}
