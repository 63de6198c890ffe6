/** Makes a function whose results are as `make` says but for what a test overrides. */
export function builder<T extends object>(make: () => T): (overrides?: Partial<T>) => T {
  return (overrides) => ({ ...make(), ...overrides });
}
