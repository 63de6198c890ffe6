/** The size of a test at night (`npm run nightly`), and in the tests of each change: the same promise, of fewer or smaller things. */
export function atNight<T>(night: T, day: T): T {
  return process.env['NIGHTLY'] === undefined ? day : night;
}
