import { NodeAgent } from '../../src/agent/agent.js';
import { silentLogger } from '../../src/lib/base/logger.js';
import { atOnce } from './lanes.js';
import { ManualClock } from './manual-clock.js';
import { never } from './signals.js';

type NodeAgentOptions = ConstructorParameters<typeof NodeAgent>[0];

export function aNodeAgent(
  options: Partial<NodeAgentOptions> & { readonly cgroupFolder: string },
  signal: AbortSignal = never,
): NodeAgent {
  const defaults = { lane: atOnce, logger: silentLogger, clock: new ManualClock() };
  return new NodeAgent({ ...defaults, sampleIntervalMs: 0, ...options }, signal);
}
