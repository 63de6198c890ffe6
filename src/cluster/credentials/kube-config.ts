/** A module of its own, so that the bundle contains what is imported by name: a tenth of the library. */
export { KubeConfig } from '@kubernetes/client-node';
