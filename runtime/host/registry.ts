import Ajv, { type ValidateFunction } from 'ajv';
import type { JsonObject } from '../../lib/json';
import type { NodeType } from '../../nodes/contract';

/** Says what is wrong with a resolved input, as one sentence; null when nothing is. */
export type InputCheck = (node: NodeType, input: JsonObject) => string | null;

/** Checks inputs against the schemas of their node types, each compiled once. */
export function inputChecks(): InputCheck {
  const ajv = new Ajv({ allErrors: true, strict: false, coerceTypes: false });
  const compiled = new WeakMap<NodeType, ValidateFunction>();
  return (node, input) => {
    let check = compiled.get(node);
    if (check === undefined) {
      check = ajv.compile(node.input);
      // Types of tenants come and go, and an instance keeps every schema that it has seen.
      ajv.removeSchema(node.input);
      compiled.set(node, check);
    }
    if (check(input)) return null;
    return (check.errors ?? [])
      .map((error) => `config${error.instancePath.replaceAll('/', '.')} ${error.message ?? 'is wrong'}`)
      .join('; ');
  };
}
