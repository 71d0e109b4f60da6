import type { Json } from '../../lib/json';

/** The roots of expressions. */
export const ROOTS = [
  'trigger',
  'steps',
  'secret',
  'config',
  'loop',
  'error',
  'execution',
  'env',
  'vars',
  'cursor',
] as const;

/** The context of an evaluation. It is deterministic: with the same context, an expression has the same value. */
export interface EvaluationContext {
  /** The names of its roots, where they are not those of workflows. */
  readonly roots?: readonly string[];
  /** The value of a root; undefined when it is not available. */
  root(name: string): Json | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Returns that many random bytes. */
  random(bytes: number): Uint8Array;
  /** The link that approves or rejects an approval step of this run. */
  approvalLink?(stepId: string, decision: 'approve' | 'reject'): string;
}
