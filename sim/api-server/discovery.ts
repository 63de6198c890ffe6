import { kubernetesVersion } from '../model/node-object.js';

const readOnly = ['get', 'list', 'watch'];
const proxied = ['create', 'delete', 'get', 'patch', 'update'];

const authenticationResources = [review('tokenreviews', 'TokenReview')];
const authorizationResources = [
  review('selfsubjectaccessreviews', 'SelfSubjectAccessReview'),
  review('subjectaccessreviews', 'SubjectAccessReview'),
];

const coreResources = [
  {
    name: 'namespaces',
    singularName: 'namespace',
    namespaced: false,
    kind: 'Namespace',
    verbs: readOnly,
    shortNames: ['ns'],
  },
  { name: 'nodes', singularName: 'node', namespaced: false, kind: 'Node', verbs: readOnly, shortNames: ['no'] },
  { name: 'nodes/proxy', singularName: '', namespaced: false, kind: 'NodeProxyOptions', verbs: proxied },
  {
    name: 'pods',
    singularName: 'pod',
    namespaced: true,
    kind: 'Pod',
    verbs: readOnly,
    shortNames: ['po'],
    categories: ['all'],
  },
  { name: 'pods/proxy', singularName: '', namespaced: true, kind: 'PodProxyOptions', verbs: proxied },
  {
    name: 'services',
    singularName: 'service',
    namespaced: true,
    kind: 'Service',
    verbs: readOnly,
    shortNames: ['svc'],
    categories: ['all'],
  },
  { name: 'services/proxy', singularName: '', namespaced: true, kind: 'ServiceProxyOptions', verbs: proxied },
];

/** The API groups and resources, which clients read first; undefined for other paths. */
export function discovery(path: string, serverAddress: string): object | undefined {
  switch (path) {
    case '/api':
      return {
        kind: 'APIVersions',
        versions: ['v1'],
        serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
      };
    case '/api/v1':
      return { kind: 'APIResourceList', groupVersion: 'v1', resources: coreResources };
    case '/apis':
      return {
        kind: 'APIGroupList',
        apiVersion: 'v1',
        groups: [group('authentication.k8s.io'), group('authorization.k8s.io')],
      };
    case '/apis/authentication.k8s.io/v1':
      return resourceList('authentication.k8s.io/v1', authenticationResources);
    case '/apis/authorization.k8s.io/v1':
      return resourceList('authorization.k8s.io/v1', authorizationResources);
    default:
      return undefined;
  }
}

/** Whether the path is below one of the API groups. */
export function isApiPath(path: string): boolean {
  return /^\/api\/|^\/apis\/(?:authentication|authorization)\.k8s\.io\//.test(path);
}

/** The body of `/version`. */
export const versionInfo = {
  major: '1',
  minor: kubernetesVersion.split('.')[1],
  gitVersion: `${kubernetesVersion}+simulated`,
  gitCommit: '',
  gitTreeState: '',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: '',
  platform: 'linux/amd64',
};

function review(name: string, kind: string): object {
  return { name, singularName: '', namespaced: false, kind, verbs: ['create'] };
}

function group(name: string): object {
  const version = { groupVersion: `${name}/v1`, version: 'v1' };
  return { name, versions: [version], preferredVersion: version };
}

function resourceList(groupVersion: string, resources: readonly object[]): object {
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources };
}
