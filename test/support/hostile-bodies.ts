import type { SummaryAnswer } from '../../sim/kubelets/kubelet.js';

/** Bodies of a kubelet that is broken or hostile, of any size. */
export interface HostileBody {
  readonly name: string;
  /** About this many bytes, as JSON where that is possible. */
  readonly of: (byteCount: number) => string;
}

const opening = '{"node":{"nodeName":"bad"},"pods":[';
const podRef = (uid: number | string, name = `p${uid}`): string =>
  `"podRef":{"namespace":"shop","name":"${name}","uid":"${uid}"}`;
const used = '"ephemeral-storage":{"usedBytes":4096}';
/** The one that the API server knows; see `knownUid`. */
const known = (uid: string): string => `${podRef(uid, 'known')},${used}`;

/** `before`, texts by their number up to the size or count, `after`. */
function filled(byteCount: number, { before, item, after, maxCount = Infinity }: Filling): string {
  const texts = [before];
  let length = before.length + after.length;
  for (let index = 0; length < byteCount && index < maxCount; index += 1) {
    const text = `${index === 0 ? '' : ','}${item(index)}`;
    length += text.length;
    texts.push(text);
  }
  texts.push(after);
  return texts.join('');
}

interface Filling {
  readonly before: string;
  readonly item: (index: number) => string;
  readonly after: string;
  readonly maxCount?: number;
}

const repeated = (name: string, filling: Filling): HostileBody => ({
  name,
  of: (byteCount) => filled(byteCount, filling),
});

const nested = (name: string, before: string, open: string): HostileBody => ({
  name,
  of: (byteCount) => before + open.repeat((byteCount - before.length) / open.length),
});

const stats = '{"time":"2026-11-20T12:40:44Z","availableBytes":1,"capacityBytes":2,"usedBytes":4096,"inodesUsed":1}';

/** `knownUid`: of the pod shop/known, which the API server has on the node. */
export function hostileBodies(knownUid: string): readonly HostileBody[] {
  const pod = (fields: string): string => `${opening}{${known(knownUid)},${fields}`;
  return [
    repeated('[[],[],…', { before: '[', item: () => '[]', after: ']' }),
    repeated('{} × n', { before: '', item: () => '{}', after: '' }),
    nested('[[[[…', '', '['),
    nested('{"a":{"a":…', '', '{"a":'),
    repeated('pods: [[],[],…', { before: opening, item: () => '[]', after: ']}' }),
    repeated('pods: [{},{},…', { before: opening, item: () => '{}', after: ']}' }),
    nested('pods: [[[[…', opening, '['),
    repeated('pods without anything', { before: opening, item: (index) => `{${podRef(index)}}`, after: ']}' }),
    repeated('pods with statistics', {
      before: opening,
      item: (index) =>
        `{${podRef(index)},${used},"containers":[${podContainer(index)}],"volume":[{"name":"v",${stats.slice(1)}]}`,
      after: ']}',
    }),
    repeated('containers of one pod', {
      before: pod('"containers":['),
      item: (index) => `{"name":"c${index}"}`,
      after: ']}]}',
    }),
    repeated('volumes of one pod', {
      before: pod('"volume":['),
      item: (index) => `{"name":"v${index}","usedBytes":1}`,
      after: ']}]}',
    }),
    repeated('containers of pods', {
      before: opening,
      item: (index) => `{${podRef(index)},${used},"containers":[${list(490, (at) => `{"name":"c${at}"}`)}]}`,
      after: ']}',
    }),
    repeated('the most pods', {
      before: opening,
      item: (index) => `{${podRef(index)},${used},"containers":[${list(4, podContainer)}]}`,
      after: ']}',
      maxCount: 2_999,
    }),
    repeated('the most containers', {
      before: opening,
      item: (index) => `{${podRef(index)},${used},"containers":[${list(490, (at) => `{"name":"c${at}"}`)}]}`,
      after: ']}',
      maxCount: 60,
    }),
    repeated('the most volumes', {
      before: opening,
      item: (index) => `{${podRef(index)},${used},"volume":[${list(490, (at) => `{"name":"v${at}","usedBytes":1}`)}]}`,
      after: ']}',
      maxCount: 60,
    }),
    repeated('the most entries', {
      before: opening,
      item: (index) => `{${podRef(index)},${used},"containers":[${list(5, entry)}],"volume":[${list(5, entry)}]}`,
      after: ']}',
      maxCount: 2_999,
    }),
    repeated('the most containers of the known pod', {
      before: pod('"containers":['),
      item: (index) => `{"name":"${'x'.repeat(240)}${index}","rootfs":{"usedBytes":${2 ** 32 + index}}}`,
      after: ']}]}',
      maxCount: 490,
    }),
    repeated('the most volumes of the known pod', {
      before: pod('"volume":['),
      item: (index) => `{"name":"${'x'.repeat(240)}${index}","usedBytes":${2 ** 32 + index}}`,
      after: ']}]}',
      maxCount: 490,
    }),
    repeated('members of one pod', { before: pod(''), item: (index) => `"m${index}":{}`, after: '}]}' }),
    repeated('members of pods', {
      before: opening,
      item: (index) => `{${podRef(index)},${list(9_900, (at) => `"m${at}":{}`)}}`,
      after: ']}',
    }),
    repeated('objects in pods', {
      before: opening,
      item: (index) => `{${podRef(index)},"x":[${list(9_900, (at) => `{"${index}k${at}":1}`)}]}`,
      after: ']}',
    }),
    { name: 'a name of a pod', of: (byteCount) => `${opening}{${podRef('u', 'x'.repeat(byteCount))}}]}` },
    { name: 'blanks', of: (byteCount) => `${opening}${' '.repeat(byteCount)}]}` },
    repeated('members of the node', { before: '{"node":{', item: (index) => `"m${index}":[]`, after: '}}' }),
    repeated('members of the summary', { before: '{', item: (index) => `"m${index}":1`, after: '}' }),
    { name: 'text', of: (byteCount) => 'x'.repeat(byteCount) },
  ];
}

function podContainer(index: number): string {
  return `{"name":"c${index}","rootfs":${stats},"logs":${stats}}`;
}

function entry(index: number): string {
  return `{"name":"e${index}","usedBytes":${2 ** 40 + index},"rootfs":${stats},"logs":{"usedBytes":${2 ** 41}}}`;
}

function list(count: number, item: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => item(index)).join(',');
}

/** As kubelets from 1.34 on write it: 93 names, texts and objects, so that 240 of them are more than 20,000. */
export function containerWithPressure(name: string): object {
  const time = '2026-11-20T12:40:44Z';
  const stall = { total: 1_234, avg10: 0.1, avg60: 0.2, avg300: 0.3 };
  const psi = { full: stall, some: stall };
  const fs = { time, availableBytes: 1, capacityBytes: 2, usedBytes: 8_192, inodesFree: 1, inodes: 2, inodesUsed: 1 };
  const pages = { rssBytes: 1, pageFaults: 2, majorPageFaults: 0 };
  return {
    name,
    startTime: time,
    cpu: { time, usageNanoCores: 1, usageCoreNanoSeconds: 2, psi },
    memory: { time, availableBytes: 1, usageBytes: 2, workingSetBytes: 3, ...pages, psi },
    io: { time, psi },
    rootfs: fs,
    logs: fs,
    swap: { time, swapAvailableBytes: 1, swapUsageBytes: 0 },
  };
}

export function answerWith(body: string | Buffer, headers: Readonly<Record<string, string>> = {}): SummaryAnswer {
  return (response) => {
    response.writeHead(200, { 'content-type': 'application/json', ...headers });
    response.end(body);
  };
}
