import type { Resource } from './versioned-objects.js';

interface Column {
  readonly name: string;
  readonly type: 'string';
  readonly format: '' | 'name';
  readonly description: string;
  /** 1: only shown by `-o wide`. */
  readonly priority: 0 | 1;
}

const names: Readonly<Record<Resource, { readonly narrow: readonly string[]; readonly wide: readonly string[] }>> = {
  namespaces: { narrow: ['Name', 'Status', 'Age'], wide: [] },
  nodes: {
    narrow: ['Name', 'Status', 'Roles', 'Age', 'Version'],
    wide: ['Internal-IP', 'External-IP', 'OS-Image', 'Kernel-Version', 'Container-Runtime'],
  },
  pods: {
    narrow: ['Name', 'Ready', 'Status', 'Restarts', 'Age'],
    wide: ['IP', 'Node', 'Nominated Node', 'Readiness Gates'],
  },
  services: { narrow: ['Name', 'Type', 'Cluster-IP', 'External-IP', 'Port(s)', 'Age'], wide: ['Selector'] },
};

/** The columns of kubectl's table, in the order of the objects' cells. */
export function columnsOf(resource: Resource): readonly Column[] {
  const { narrow, wide } = names[resource];
  return [...narrow.map((name) => column(name, 0)), ...wide.map((name) => column(name, 1))];
}

function column(name: string, priority: 0 | 1): Column {
  return { name, type: 'string', format: name === 'Name' ? 'name' : '', description: name, priority };
}
