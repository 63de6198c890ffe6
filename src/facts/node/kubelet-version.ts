/** What depends on a kubelet's version; that of its Node object may have the suffix of a vendor, as `v1.33.5-eks-1a2b3c`. */

const form = /^v?(\d+)\.(\d+)(?:\.\d+)?(?:-(alpha|beta|rc)\b)?/;

/**
 * The minor version of a 1.x release; one before a release counts as the version before, a later major version as the
 * newest. Undefined for a text that is no version.
 */
export function minorVersion(kubeletVersion: string | undefined): number | undefined {
  const [, major, minor, isPrerelease] = form.exec(kubeletVersion ?? '') ?? [];
  if (minor === undefined) return undefined;
  return Number(major) > 1 ? Infinity : Number(minor) - (isPrerelease === undefined ? 0 : 1);
}

/**
 * Whether the kubelet holds sidecars to their own limits. A kubelet of unknown version is not said to.
 * https://github.com/kubernetes/kubernetes/issues/138371
 */
export function enforcesSidecars(kubeletVersion: string | undefined): boolean {
  return (minorVersion(kubeletVersion) ?? 0) >= 37;
}
