import { type Markup, markup } from './markup.js';

/** What the words of the page mean, for people who meet them here first. */
const meanings = {
  fresh: 'The last summary of the kubelet is younger than cache.ttl.',
  stale: 'The last summary of the kubelet is older than cache.ttl. It counts until it is twice as old.',
  absent: 'Without data: the last summary of the kubelet is older than twice cache.ttl, or there is none.',
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
  neither: 'Neither pods nor images: the system, dead containers, hostPath data.',
} as const;

type Term = keyof typeof meanings;

/** The word with its meaning, which is shown on hover. */
export function term(word: Term): Markup {
  return markup`<abbr title="${meanings[word]}">${word}</abbr>`;
}
