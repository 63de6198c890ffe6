/** What flags of a list mean: the values that kubectl sends to the API server. */
export interface UnderstoodLine {
  /** Undefined: that of the context. */
  readonly namespace?: string;
  readonly allNamespaces?: true;
  readonly selector?: string;
  readonly watch?: true;
}

/** Flags as people write them, beside what kubectl makes of them; undefined where it refuses them. */
export const kubectlLines: readonly (readonly [line: string, understood: UnderstoodLine | undefined])[] = [
  ['-n media', { namespace: 'media' }],
  ['-n=media', { namespace: 'media' }],
  ['-nmedia', { namespace: 'media' }],
  ['--namespace=media', { namespace: 'media' }],
  ['--namespace=', {}],
  ['-n=a=b', { namespace: 'a=b' }],
  ['-n -x', { namespace: '-x' }],
  ['-n a -n b', { namespace: 'b' }],
  ['-nA', { namespace: 'A' }],
  ['-n', undefined],
  ['--namespace', undefined],
  ['-A', { allNamespaces: true }],
  ['-A=true', { allNamespaces: true }],
  ['-A=T', { allNamespaces: true }],
  ['-A=1', { allNamespaces: true }],
  ['--all-namespaces=true', { allNamespaces: true }],
  ['-A=false -n q', { namespace: 'q' }],
  ['-A=0 -nq', { namespace: 'q' }],
  ['-A -A=false', {}],
  ['-A=false -A', { allNamespaces: true }],
  ['-A --all-namespaces=False', {}],
  ['-A -n q', { allNamespaces: true }],
  ['-An q', { allNamespaces: true }],
  ['-An=q', { allNamespaces: true }],
  ['-A=yes', undefined],
  ['-A=', undefined],
  ['-A=true=x', undefined],
  ['-An', undefined],
  ['-Az', undefined],
  ['--all-namespaces=', undefined],
  ['--all-namespaces=tRue', undefined],
  ['-l app=x', { selector: 'app=x' }],
  ['-l=app=x', { selector: 'app=x' }],
  ['-lapp=x', { selector: 'app=x' }],
  ['--selector=app=x', { selector: 'app=x' }],
  ['-An q -l=a=b,c!=d', { allNamespaces: true, selector: 'a=b,c!=d' }],
  ['-w', { watch: true }],
  ['-w=true', { watch: true }],
  ['-wn=q', { namespace: 'q', watch: true }],
  ['-wA=true', { allNamespaces: true, watch: true }],
  ['-Aw=false', { allNamespaces: true }],
  ['--watch=false', {}],
  ['-o=wide', {}],
  ['-owide', {}],
  ['-Ao=name', { allNamespaces: true }],
  ['--output=name', {}],
  ['--no-headers', {}],
  ['--no-headers=true', {}],
  ['--no-headers=false', {}],
  ['--no-headers=x', undefined],
];
