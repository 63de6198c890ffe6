/** Those that kubectl knows, where their kinds are installed. `barepod`: a pod without a controller. */
export const workloadTypes = [
  'deployment',
  'statefulset',
  'daemonset',
  'replicaset',
  'cronjob',
  'job',
  'rollout',
  'deploymentconfig',
  'barepod',
] as const;

const shortForms: Readonly<Record<string, (typeof workloadTypes)[number]>> = {
  deploy: 'deployment',
  dc: 'deploymentconfig',
  ro: 'rollout',
  sts: 'statefulset',
  ds: 'daemonset',
  rs: 'replicaset',
  cj: 'cronjob',
};

/** Returns the type of workloads that kubectl names so: `deploy`, `StatefulSets`, `cronjob.batch`. */
export function workloadTypeOf(text: string): (typeof workloadTypes)[number] | undefined {
  const words = wordsOf(text);
  return workloadTypes.find((type) => words.includes(type));
}

/** Types of other controllers too. */
export function isOfType(type: string, text: string): boolean {
  const words = wordsOf(text);
  return words.includes(type.toLowerCase()) || (type === 'barepod' && ['po', 'pod'].some((pod) => words.includes(pod)));
}

/** What the text may name: without the group and regardless of case, also in singular and in full. */
function wordsOf(text: string): readonly (string | undefined)[] {
  const [word = ''] = text.toLowerCase().split('.');
  const forms = [word, word.replace(/s$/, '')];
  return [...forms, ...forms.map((form) => shortForms[form])];
}
