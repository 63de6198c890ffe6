/** Columns of tables that show labels: their titles and widths. */

interface LabelColumn {
  readonly title: string;
  readonly px: number;
  /** Else the column takes its share of the remaining space, and `px` is the least. */
  readonly isFixed: boolean;
}

const fixed = (title: string, px: number): LabelColumn => ({ title, px, isFixed: true });
const flexible = (title: string, px: number): LabelColumn => ({ title, px, isFixed: false });

/** Names have the remaining space: they are long, and a cut one says nothing. */
const columns: Readonly<Record<string, LabelColumn>> = {
  cluster: fixed('Cluster', 85),
  namespace: fixed('Namespace', 97),
  workload: flexible('Workload', 120),
  workload_type: fixed('Type', 100),
  workload_namespace: fixed('Namespace', 97),
  pod: flexible('Pod', 110),
  node: flexible('Node', 80),
  container: flexible('Container', 80),
  volume: flexible('Volume', 75),
  limit: flexible('Limit', 110),
  filesystem: fixed('Filesystem', 100),
  reason: fixed('Reason', 115),
  cause: fixed('Cause', 125),
  signal: fixed('Signal', 160),
  os: fixed('System', 85),
  kubelet_version: fixed('Kubelet', 120),
  type: fixed('Type', 100),
  medium: fixed('Medium', 85),
  counted: fixed('Counted', 90),
  job: fixed('Job', 100),
  instance: flexible('Instance', 130),
  version: fixed('Version', 85),
  node_version: fixed('Node.js', 90),
  shard: fixed('Shard', 75),
  total_shards: fixed('Shards', 80),
};

function columnOf(label: string): LabelColumn {
  const column = columns[label];
  if (column === undefined) throw new Error(`the label ${label} has no column`);
  return column;
}

export function titleOf(label: string): string {
  return columnOf(label).title;
}

export function widthOf(label: string): Pick<LabelColumn, 'px' | 'isFixed'> {
  return columnOf(label);
}
