const form = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

/** https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#dns-subdomain-names */
export function isNodeName(text: string): boolean {
  return text.length <= 253 && form.test(text);
}
