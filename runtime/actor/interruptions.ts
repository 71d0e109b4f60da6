import type { PreparedPlan, PreparedStep } from '../../dsl';
import type { NodeType, OnInterrupted } from '../../nodes/contract';
import type { RunState } from '../record/state';
import { findStep } from '../rules/step-at';
import type { Interruption } from '../rules/turn';

/** The words of node types about the attempts that were in flight when a run's last host died. */
export async function interruptionsOf(
  plan: PreparedPlan,
  { open, steps }: RunState,
  node: (type: string) => NodeType | undefined | Promise<NodeType | undefined>,
): Promise<Interruption> {
  const running = [...open].filter((path) => steps.get(path)?.kind === 'running');
  const types = new Set(running.flatMap((path) => findStep(plan, path)?.def.type ?? []));
  const known = new Map(await Promise.all([...types].map(async (type) => [type, await node(type)] as const)));
  return (step) => wordOf(known.get(step.def.type), step);
}

/** What only asks may be asked again, whatever its type says of effects. */
function wordOf(node: NodeType | undefined, { def }: PreparedStep): OnInterrupted {
  if (node === undefined) return 'fail';
  const effect = typeof node.effect === 'function' ? node.effect(def.config) : node.effect;
  return effect === 'read' ? 'retry' : node.onInterrupted;
}
