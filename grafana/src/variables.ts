import {
  CustomVariableBuilder,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  VariableHide,
  type VariableOption,
  VariableRefresh,
  VariableSort,
} from '@grafana/grafana-foundation-sdk/dashboard';

/** The chosen Prometheus, for every panel and variable. */
export const datasource = { type: 'prometheus', uid: '${datasource}' } as const;

const all: VariableOption = { text: 'All', value: '$__all' };

export function datasourceVariable(): DatasourceVariableBuilder {
  // Else Grafana selects the first by name.
  return new DatasourceVariableBuilder('datasource')
    .label('Data source')
    .type('prometheus')
    .current({ text: 'default', value: 'default' });
}

const clusters = 'label_values(ephemeral_storage_exporter_build_info, cluster)';

/** One cluster. Empty, which matches series without the label, where there is none. */
export function clusterVariable(): QueryVariableBuilder {
  return query('cluster', 'Cluster', clusters);
}

/** Several. All is `.*`, which also matches series without the label. */
export function clustersVariable(): QueryVariableBuilder {
  return query('cluster', 'Cluster', clusters).multi(true).includeAll(true).allValue('.*').current(all);
}

/** The label of `node_info` that makes pools of nodes; others of `metrics.nodeLabels` can be typed. */
export function nodeLabelVariable(): CustomVariableBuilder {
  const labels: Readonly<Record<string, string>> = {
    'operating system': 'os',
    'kubelet version': 'kubelet_version',
    zone: 'label_topology_kubernetes_io_zone',
    'instance type': 'label_node_kubernetes_io_instance_type',
    'node pool (Karpenter)': 'label_karpenter_sh_nodepool',
    'node group (EKS)': 'label_eks_amazonaws_com_nodegroup',
    'node pool (GKE)': 'label_cloud_google_com_gke_nodepool',
    'node pool (AKS)': 'label_kubernetes_azure_com_agentpool',
  };
  const options = Object.entries(labels).map(([text, value]) => `${text} : ${value}`);
  return new CustomVariableBuilder('node_label')
    .label('Nodes by')
    .description('Labels of nodes must be named in metrics.nodeLabels. Others of them can be typed, as label_….')
    .values(options.join(','))
    .current({ text: 'operating system', value: 'os' });
}

/** All is `.*`, which also matches nodes without the label. */
export function poolVariable(): QueryVariableBuilder {
  return query('pool', 'Pool', 'label_values(ephemeral_storage_node_info{cluster=~"$cluster"}, $node_label)')
    .description('Selects nodes and their pods. Totals of workloads, namespaces and clusters include all nodes.')
    .multi(true)
    .includeAll(true)
    .allValue('.*')
    .current(all);
}

/** With those that have no namespace: configured workloads and workloads found by label keys. */
export function workloadVariable(): QueryVariableBuilder {
  return query(
    'workload',
    'Workload',
    'label_values(ephemeral_storage_workload_data_available{cluster=~"$cluster", namespace=~"$namespace|"}, workload)',
  );
}

export function workloadTypeVariable(): QueryVariableBuilder {
  return query(
    'workload_type',
    'Type',
    'label_values(ephemeral_storage_workload_data_available{cluster=~"$cluster", namespace=~"$namespace|", workload="$workload"}, workload_type)',
  );
}

/**
 * Hidden. Without it, panels about the pods of one workload would read those of the whole cluster. A workload without
 * namespace may have pods in several namespaces.
 */
export function podNamespacesVariable(): QueryVariableBuilder {
  return query(
    'pod_namespaces',
    'Namespaces of the pods',
    'label_values(ephemeral_storage_pod_workload_info{cluster=~"$cluster", workload_namespace=~"$namespace|", workload="$workload", workload_type="$workload_type"}, namespace)',
  )
    .multi(true)
    .includeAll(true)
    .current(all)
    .hide(VariableHide.HideVariable);
}

/** With nodes that have no data. */
export function nodeVariable(): QueryVariableBuilder {
  return query('node', 'Node', 'label_values(ephemeral_storage_node_data_available{cluster=~"$cluster"}, node)');
}

export function namespaceVariable(): QueryVariableBuilder {
  return query(
    'namespace',
    'Namespace',
    'label_values(ephemeral_storage_pod_used_bytes{cluster=~"$cluster"}, namespace)',
  );
}

export function podVariable(): QueryVariableBuilder {
  return query(
    'pod',
    'Pod',
    'label_values(ephemeral_storage_pod_used_bytes{cluster=~"$cluster", namespace="$namespace"}, pod)',
  );
}

const ofPod = 'cluster=~"$cluster", namespace="$namespace", pod="$pod"';

/** Hidden: the node of the pod, for links, and for the state of its data while the pod has none. */
export function podNodeVariable(): QueryVariableBuilder {
  return hidden('pod_node', 'Node of the pod', `label_values(ephemeral_storage_pod_used_bytes{${ofPod}}, node)`);
}

/** Hidden: the first workload of the pod, for links. */
export function podWorkloadVariables(): readonly QueryVariableBuilder[] {
  const info = (matchers: string, label: string): string =>
    `label_values(ephemeral_storage_pod_workload_info{${ofPod}${matchers}}, ${label})`;
  const type = ', workload_type="$pod_workload_type"';
  const name = `${type}, workload="$pod_workload"`;
  return [
    hidden('pod_workload_type', 'Type of the workload of the pod', info('', 'workload_type')),
    hidden('pod_workload', 'Workload of the pod', info(type, 'workload')),
    hidden('pod_workload_namespace', 'Namespace of the workload of the pod', info(name, 'workload_namespace')),
  ];
}

export function jobVariable(): QueryVariableBuilder {
  return query('job', 'Job', 'label_values(ephemeral_storage_exporter_build_info{cluster=~"$cluster"}, job)')
    .multi(true)
    .includeAll(true)
    .current(all);
}

export function instanceVariable(): QueryVariableBuilder {
  return query(
    'instance',
    'Instance',
    'label_values(ephemeral_storage_exporter_build_info{cluster=~"$cluster", job=~"$job"}, instance)',
  )
    .multi(true)
    .includeAll(true)
    .current(all);
}

/** Labels of the lines about instances, besides the cluster; none with thousands of instances. */
export function linesVariable(): CustomVariableBuilder {
  return new CustomVariableBuilder('lines')
    .label('Lines')
    .values(String.raw`all instances together : cluster,each instance : job\, instance`)
    .current({ text: 'all instances together', value: 'cluster' });
}

/** The share of a limit from which a pod is near it. */
export function nearVariable(): CustomVariableBuilder {
  return new CustomVariableBuilder('near')
    .label('Near a limit from')
    .values('50 % : 0.5,80 % : 0.8,90 % : 0.9,any : 0')
    .current({ text: '80 %', value: '0.8' });
}

/** Factor of recommended requests and limits over measured usage. */
export function headroomVariable(): CustomVariableBuilder {
  return new CustomVariableBuilder('headroom')
    .label('Headroom')
    .values('10 % : 1.1,20 % : 1.2,50 % : 1.5,100 % : 2')
    .current({ text: '20 %', value: '1.2' });
}

function hidden(name: string, label: string, text: string): QueryVariableBuilder {
  return query(name, label, text).hide(VariableHide.HideVariable);
}

function query(name: string, label: string, text: string): QueryVariableBuilder {
  return new QueryVariableBuilder(name)
    .label(label)
    .datasource(datasource)
    .query(text)
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .sort(VariableSort.NaturalAsc);
}
