/**
 * Whether the API server takes a name as part of a path, as kubectl checks it too.
 * https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#path-segment-names
 */
export function isPathSegment(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !/[/%]/.test(name);
}
