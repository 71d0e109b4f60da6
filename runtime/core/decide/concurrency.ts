import type { EvaluationContext, PreparedPlan } from '../../../dsl';
import { sha256 } from '../../../lib/crypto';
import type { Json, JsonObject } from '../../../lib/json';
import type { Concurrency, Execution } from '../model';

/** A longer key is stored as its SHA-256. */
const MAX_KEY_LENGTH = 256;

/** The fields of a new run that its concurrency key can depend on. */
export interface StartingRun extends Pick<Execution, 'tenantId' | 'workflowId' | 'env' | 'trigger' | 'startedAt'> {
  /** The tenant's variables; empty when the plan uses none. */
  readonly vars: JsonObject;
}

/** The evaluation context of a concurrency key. */
export const concurrencyContext = (run: StartingRun, random: (bytes: number) => Uint8Array): EvaluationContext => ({
  root: (name) => rootOf(name, run),
  now: run.startedAt,
  random,
});

/** The concurrency group of a run; null when the workflow has none, or the key is empty for this run. */
export function concurrencyOf(
  plan: Pick<PreparedPlan['plan'], 'concurrency'>,
  run: Pick<StartingRun, 'tenantId' | 'workflowId'>,
  keyText: string,
): Concurrency | null {
  if (plan.concurrency === undefined || keyText === '') return null;
  const key = keyText.length <= MAX_KEY_LENGTH ? keyText : sha256(keyText);
  const { limit, onConflict, name } = plan.concurrency;
  const shared = { tenantId: run.tenantId, name, key };
  const group = name === undefined ? sha256(JSON.stringify([run.tenantId, run.workflowId, key])) : sharedGroup(shared);
  return { group, key, limit, onConflict, ...(name === undefined ? {} : { name }) };
}

const sharedGroup = ({ tenantId, name, key }: { tenantId: string; name: string | undefined; key: string }): string =>
  sha256(JSON.stringify([tenantId, 'limit', name, key]));

/** A group that runs one at a time, by a name given at the start. No concurrency key yields the same group. */
export const queueOf = (tenantId: string, workflowId: string, name: string): Concurrency => ({
  group: sha256(JSON.stringify([tenantId, workflowId, 'queue', name])),
  key: name,
  limit: 1,
  onConflict: 'queue',
});

function rootOf(name: string, { trigger, env, vars, workflowId }: StartingRun): Json | undefined {
  switch (name) {
    case 'trigger':
      return trigger;
    case 'env':
      return env;
    case 'vars':
      return vars;
    case 'execution':
      return { workflow_id: workflowId };
    default:
      return undefined;
  }
}
