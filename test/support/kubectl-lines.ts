/** What flags of a list mean: the values that kubectl sends to the API server. */
export interface UnderstoodLine {
  /** Undefined: that of the context. */
  readonly namespace?: string;
  readonly allNamespaces?: true;
  readonly selector?: string;
  readonly watch?: true;
}

/** Flags that mean the same to kubectl and to this program, as people write them; undefined where both refuse them. */
export const kubectlLines: readonly (readonly [line: string, understood: UnderstoodLine | undefined])[] = [
  ['-n media', { namespace: 'media' }],
  ['-n=media', { namespace: 'media' }],
  ['-nmedia', { namespace: 'media' }],
  ['--namespace=media', { namespace: 'media' }],
  ['--namespace=', {}],
  ['-n -x', { namespace: '-x' }],
  ['-n a -n b', { namespace: 'b' }],
  ['-nA', { namespace: 'A' }],
  ['-n', undefined],
  ['--namespace', undefined],
  ['-A', { allNamespaces: true }],
  ['-A -n q', { allNamespaces: true }],
  ['-An q', { allNamespaces: true }],
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
  ['-w', { watch: true }],
  ['-o=wide', {}],
  ['-owide', {}],
  ['--output=name', {}],
  ['--no-headers', {}],
  ['--no-headers=x', undefined],
];
