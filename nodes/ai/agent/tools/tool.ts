import type { Json, JsonObject } from '../../../../lib/json';
import type { Compute } from '../../../../lib/compute';
import { checkSliced } from '../../../../lib/json-schema/check-sliced';
import type { LlmTool } from '../../../../lib/llm';
import type { NodeContext, Outcome, Usage } from '../../../contract';
import { listed } from '../../structured';
import type { ApprovalInput } from '../input';
import type { ToolResult } from '../result';

/** The outcome of using a tool: a result, or a pause, whose end becomes the result. */
export type ToolUse =
  | { readonly kind: 'result'; readonly result: ToolResult; readonly usage?: Usage }
  | { readonly kind: 'pause'; readonly outcome: Extract<Outcome, { kind: 'wait' | 'start_child' }> };

/** Something that the agent's model may use. */
export interface Tool extends LlmTool {
  /** Null: no approval is needed. */
  readonly approval: ApprovalInput | null;
  /** True if an interrupted use may be repeated with the same idempotency key. */
  readonly repeatable: boolean;
  /** The schema that inputs of the model are checked against, and what its author has fixed of them. */
  readonly checkedBy: { readonly [key: string]: unknown };
  readonly fixed?: JsonObject;
  /** `part` names the use within the step. */
  use(ctx: NodeContext, part: string, input: JsonObject): Promise<ToolUse>;
  /** Shown each output, new or on record, in their order. */
  seen?(output: JsonObject): void;
  /** The part of an output that the model gets. */
  tell?(output: JsonObject): Json;
}

/** The approval settings with defaults. */
export function approvalOf(approval: boolean | ApprovalInput | undefined): ApprovalInput | null {
  if (approval === undefined || approval === false) return null;
  return approval === true ? {} : approval;
}

/**
 * The faults of an input of the model, as text for the model; null if it is valid. Unknown schema keywords are ignored.
 * @throws AppError unavailable
 */
export async function problemOf(
  { checkedBy, fixed }: Tool,
  compute: Compute,
  input: JsonObject,
): Promise<string | null> {
  // Schemas are JSON.
  const use = { schema: checkedBy as JsonObject, unknownKeywords: 'ignore' } as const;
  const { of, faults } = await checkSliced(compute, use, { ...input, ...fixed });
  if (faults.length === 0) return null;
  return of === 'schema' ? `the tool's schema cannot be used: ${listed(faults)}` : listed(faults);
}

const COMBINED: ReadonlySet<string> = new Set(['oneOf', 'anyOf', 'allOf', 'enum', 'not', 'if', 'then', 'else']);

/**
 * The parameters schema for models: an object, without the members that the author has fixed, and without combinations at
 * its root, which providers refuse. The full schema is still checked.
 */
export function parametersFor(
  schema: { readonly [key: string]: unknown },
  fixed: JsonObject = {},
): { readonly [key: string]: unknown } {
  const {
    properties = {},
    required = [],
    ...rest
  } = schema as {
    properties?: Record<string, unknown>;
    required?: string[];
  };
  return {
    ...Object.fromEntries(Object.entries(rest).filter(([word]) => !COMBINED.has(word))),
    type: 'object',
    properties: Object.fromEntries(Object.entries(properties).filter(([key]) => !Object.hasOwn(fixed, key))),
    required: required.filter((key) => !Object.hasOwn(fixed, key)),
  };
}
