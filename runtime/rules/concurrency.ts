import { type PreparedPlan, render } from '../../dsl';
import { sha256 } from '../../lib/crypto';
import type { Json, JsonObject } from '../../lib/json';
import type { Concurrency, Execution } from '../store/port';

/** Longest key that is kept as it is, in characters. */
const LONGEST_KEY = 256;

/** A run that is about to be stored, as far as a key can depend on it. */
export interface Beginning extends Pick<Execution, 'tenantId' | 'workflowId' | 'env' | 'trigger' | 'startedAt'> {
  /** The tenant's constants; empty where the plan uses none. */
  readonly vars: JsonObject;
}

/**
 * The group of a run; null when its workflow has no concurrency key, or the key comes to nothing for this run.
 * @throws ExpressionError when the key cannot be evaluated
 */
export function concurrencyOf(
  { plan, concurrencyKey }: Pick<PreparedPlan, 'plan' | 'concurrencyKey'>,
  run: Beginning,
  random: (bytes: number) => Uint8Array,
): Concurrency | null {
  if (plan.concurrency === undefined || concurrencyKey === null) return null;
  const key = keyText(render(concurrencyKey, { root: (name) => rootOf(name, run), now: run.startedAt, random }));
  if (key === '') return null;
  const { limit, onConflict } = plan.concurrency;
  return { group: sha256(JSON.stringify([run.tenantId, run.workflowId, key])), key, limit, onConflict };
}

/** The group of runs that go one after the other, by a name that whoever starts them has given. No key comes to the same. */
export const queueOf = (tenantId: string, workflowId: string, name: string): Concurrency => ({
  group: sha256(JSON.stringify([tenantId, workflowId, 'queue', name])),
  key: name,
  limit: 1,
  onConflict: 'queue',
});

function keyText(value: Json): string {
  if (value === null) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= LONGEST_KEY ? text : sha256(text);
}

function rootOf(name: string, { trigger, env, vars, workflowId }: Beginning): Json | undefined {
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
