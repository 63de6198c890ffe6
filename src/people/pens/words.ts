/** What words mean, for people who meet them here first. */
export const meanings = {
  fresh: 'The last summary of the kubelet is younger than cache.ttl.',
  stale: 'The last summary of the kubelet is older than cache.ttl. It counts until it is twice as old.',
  absent: 'Without data: the last summary of the kubelet is older than twice cache.ttl, or there is none.',
  close: 'Headroom below a quarter of a threshold, or gone within 10 min, or DiskPressure.',
  skipped: 'Never scraped: the node matches cluster.skipNodes.',
  measured: 'In the summary of its kubelet, with its usage. Pods are expected there after running for a minute.',
  nodefs: "The node's main filesystem: emptyDirs, logs and, unless imagefs is separate, images and writable layers.",
  imagefs:
    'The filesystem on which the container runtime keeps images and, unless containerfs is separate, writable layers.',
  containerfs: 'The filesystem on which the container runtime keeps writable layers.',
  rootfs: 'Writable layers: what containers wrote outside of their volumes.',
  logs: 'Logs of containers.',
  emptydir: 'Volumes of type emptyDir on disk.',
  configmap: 'Volumes of type configMap. Secrets, projected and downwardAPI volumes are in memory and do not count.',
  other: 'The rest of the total that the kubelet reports.',
  incomplete: 'The sum lacks pods or volumes that are not measured: it is too low.',
  pending: 'The kubelet has not measured the volumes yet: the total or a ratio is too low.',
  images:
    'Images and, on containerd, ended containers and sandboxes: all of the container runtime but the writable layers of running containers.',
  unattributed:
    'Not pods, not images: on containerd the compressed copies of images first; logs of the system, hostPath data, and what the kubelet does not report.',
} as const;

export type Word = keyof typeof meanings;

/** Returns whether the word has a meaning of its own here. */
export function isWord(word: string): word is Word {
  return Object.hasOwn(meanings, word);
}
