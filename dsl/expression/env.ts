import type { Json } from '../../lib/json';

/** The names an expression may begin with. */
export const ROOTS = ['trigger', 'steps', 'secret', 'config', 'loop', 'error', 'execution', 'env', 'vars'] as const;

/** All that an expression can see. Given the same answers from it, evaluation gives the same result. */
export interface Env {
  /** The value of one of ROOTS; undefined when there is none here. */
  root(name: string): Json | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
  /** That many random bytes. */
  random(bytes: number): Uint8Array;
  /** The link that decides an approval step of this run. */
  approvalLink?(stepId: string, decision: 'approve' | 'reject'): string;
}
