import type { Compute } from '../../lib/compute';
import type { ErrorDetail } from '../../lib/errors';
import type { Json, JsonObject } from '../../lib/json';
import { type CompiledSchema, compileSchema } from '../../lib/json-schema';
import { checkInline, checkOnThread } from '../../lib/json-schema/check-sliced';
import type { NodeType } from '../../nodes/contract';

/**
 * What is wrong with a resolved input, as one sentence; null when it is valid. A large input is checked on a compute thread.
 * @throws AppError unavailable when too many computations wait
 */
export type InputCheck = (
  node: NodeType,
  input: JsonObject,
  compute: () => Compute,
) => string | null | Promise<string | null>;

/** Checks inputs against the schemas of their node types, each compiled once. */
export function inputChecks(): InputCheck {
  const compiled = new WeakMap<NodeType, CompiledSchema>();
  const compiledOf = (node: NodeType): CompiledSchema => {
    const known = compiled.get(node);
    if (known !== undefined) return known;
    const made = compileSchema(node.input, 'ignore');
    compiled.set(node, made);
    return made;
  };
  return (node, input, compute) => {
    const use = {
      schema: node.input as Json,
      unknownKeywords: 'ignore',
      root: 'config',
      compiled: () => compiledOf(node),
    } as const;
    const inline = checkInline(use, input);
    if (inline !== null) return sentenceOf(inline.faults);
    return checkOnThread(compute(), use, input).then(({ faults }) => sentenceOf(faults));
  };
}

const sentenceOf = (faults: readonly ErrorDetail[]): string | null =>
  faults.length === 0 ? null : faults.map(({ path, message }) => `${path} ${message}`).join('; ');
