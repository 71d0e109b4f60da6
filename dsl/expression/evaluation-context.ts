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

/** What the link of a step does. */
export type LinkKind = 'approve' | 'reject' | 'form';

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
  /** The link that approves or rejects an approval step of this run, or opens the page of a `wait_for_form` step. */
  stepLink?(stepId: string, kind: LinkKind): string;
}
