import { createDialer, createEgress, parseEgressAllow } from '../../../lib/egress';
import type { Json, JsonObject } from '../../../lib/json';
import type { NodeCapabilities, NodeType, Outcome } from '../../../nodes/contract';
import { createContext } from '../../unit/nodes/context';

/** What a node under test may reach, and who it is. */
export interface World {
  /** As EGRESS_ALLOW; the loopback by default. */
  readonly allow?: string;
  readonly means?: Partial<NodeCapabilities>;
  readonly signal?: AbortSignal;
  readonly idempotencyKey?: string;
}

/** One attempt of a step that talks to real servers. A name that ends in `.test` is the loopback. */
export async function attempt(node: NodeType, input: JsonObject, world: World = {}): Promise<Outcome> {
  const allow = parseEgressAllow(world.allow ?? '127.0.0.0/8, localhost');
  const resolver = async (host: string): Promise<string[]> => (host.endsWith('.test') ? ['127.0.0.1'] : []);
  const http = createEgress({ allow, resolver });
  const { signal = new AbortController().signal, idempotencyKey = 'case-key' } = world;
  const base = createContext(input);
  const means: NodeCapabilities = {
    ...base.capabilities,
    net: createDialer({ allow, resolver }),
    mail: null,
    ...world.means,
  };
  try {
    return await node.run({ ...base, signal, idempotencyKey, http, capabilities: means });
  } finally {
    await http.close();
  }
}

/** The output of an attempt that must succeed. */
export async function outputOf(node: NodeType, input: JsonObject, world?: World): Promise<{ [key: string]: Json }> {
  const outcome = await attempt(node, input, world);
  if (outcome.kind !== 'done') throw new Error(`the step did not complete: ${JSON.stringify(outcome)}`);
  return outcome.output;
}

/** The failure of an attempt that must fail. */
export async function failureOf(node: NodeType, input: JsonObject, world?: World) {
  const outcome = await attempt(node, input, world);
  if (outcome.kind !== 'fail') throw new Error(`the step did not fail: ${JSON.stringify(outcome)}`);
  return { ...outcome.error, retryable: outcome.retryable };
}
