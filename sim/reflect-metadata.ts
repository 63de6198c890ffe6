/**
 * `@peculiar/x509` loads `tsyringe`, which refuses to load without the metadata functions of `reflect-metadata`. No class
 * there has constructor parameters to inject, so these functions return no metadata, and the package is not needed.
 * Import this file before `@peculiar/x509`.
 */
for (const name of ['getMetadata', 'getOwnMetadata']) {
  if (!Reflect.has(Reflect, name)) Reflect.set(Reflect, name, () => undefined);
}
