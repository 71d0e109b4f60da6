import type { PreparedPlan } from '../../dsl';
import type { Compute } from '../../lib/compute';
import { AppError } from '../../lib/errors';
import type { Json } from '../../lib/json';
import { type CompiledSchema, compileSchema } from '../../lib/json-schema';
import { checkSliced } from '../../lib/json-schema/check-sliced';

/** Compiled schemas by plan, which never changes. A lookup by the schema's text would cost more than the validation. */
const compiled = new WeakMap<PreparedPlan, CompiledSchema>();

function compiledOf(plan: PreparedPlan, inputs: Json): CompiledSchema {
  const schema = compiled.get(plan) ?? compileSchema(inputs);
  compiled.set(plan, schema);
  return schema;
}

/**
 * Validates the payload of a start by the workflow's input schema. An unusable schema rejects nothing: another version of
 * this program validated it when the workflow was saved. @throws AppError invalid_input, unavailable
 */
export async function assertInputs(compute: Compute, plan: PreparedPlan, payload: Json): Promise<void> {
  const { inputs } = plan.plan;
  if (inputs === undefined) return;
  const use = { schema: inputs, compiled: () => compiledOf(plan, inputs) };
  const { of, faults } = await checkSliced(compute, use, payload);
  const [first] = faults;
  if (of === 'schema' || first === undefined) return;
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
  const where = first.path === '' ? 'it' : first.path;
  throw new AppError('invalid_input', `The workflow does not take this input: ${where} ${first.message}${more}`, {
    details: [...faults],
  });
}
