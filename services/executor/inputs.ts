import type { PreparedPlan } from '../../dsl';
import { AppError } from '../../lib/errors';
import type { Json } from '../../lib/json';
import { type CompiledSchema, compileSchema } from '../../lib/json-schema';

/** Schemas of plans, which never change: finding one again by its text would cost more than many a check. */
const compiled = new WeakMap<PreparedPlan, CompiledSchema>();

/**
 * Refuses a start whose payload is not what the workflow takes. A schema that cannot be used refuses nothing: it was
 * checked when the workflow was saved, by another version of this program. @throws AppError invalid_input
 */
export function assertInputs(plan: PreparedPlan, payload: Json): void {
  const { inputs } = plan.plan;
  if (inputs === undefined) return;
  const schema = compiled.get(plan) ?? compileSchema(inputs);
  compiled.set(plan, schema);
  const faults = schema.kind === 'usable' ? schema.check(payload) : [];
  const [first] = faults;
  if (first === undefined) return;
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
  const where = first.path === '' ? 'it' : first.path;
  throw new AppError('invalid_input', `The workflow does not take this input: ${where} ${first.message}${more}`, {
    details: [...faults],
  });
}
