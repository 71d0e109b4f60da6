import type { PreparedPlan } from '../../dsl';
import type { JsonObject } from '../../lib/json';
import { decodeEntries } from '../record/codec';
import { replay } from '../record/fold';
import type { Execution, RunStore } from '../store/port';

/**
 * Outputs of the completed steps of the run that another one repeats, by path, up to the step from which it is to run
 * anew. Only steps that the plan still has, with the same type, count. Marks of secrets are made over to the new run.
 */
export async function preloadedOutputs(
  store: RunStore,
  execution: Execution,
  plan: PreparedPlan,
  earlierPlan: PreparedPlan,
  codeOf: (executionId: string) => string,
): Promise<ReadonlyMap<string, JsonObject>> {
  const wanted = execution.preload;
  if (wanted === null) return new Map();
  const records = await store.journal(wanted.executionId);
  const texts = records.map((record) => record.json);
  const entries = await decodeEntries(texts, (hashes) => store.getPayloads(wanted.executionId, hashes));
  const { steps } = replay(entries);
  const outputs = new Map<string, JsonObject>();
  for (const { path, def } of plan.root.steps) {
    if (def.id === wanted.fromStep) break;
    const step = steps.get(path);
    if (step?.kind !== 'completed' || earlierPlan.byPath.get(path)?.def.type !== def.type) continue;
    outputs.set(path, remark(step.output, codeOf(wanted.executionId), codeOf(execution.id)));
  }
  return outputs;
}

const remark = (output: JsonObject, from: string, to: string): JsonObject =>
  JSON.parse(JSON.stringify(output).replaceAll(`:${from}⟧`, `:${to}⟧`)) as JsonObject;
