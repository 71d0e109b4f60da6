import {
  compileCondition,
  compileTemplate,
  type EvaluationContext,
  ExpressionError,
  render,
  truthy,
} from '../../../../dsl';
import type { Json } from '../../../../lib/json';

/** 2026-01-31T09:30:00Z, a last day of a month. */
export const NOW = Date.UTC(2026, 0, 31, 9, 30);

/** An environment with these roots; random bytes are all 7. */
export function envOf(roots: Record<string, Json> = {}, more: Partial<EvaluationContext> = {}): EvaluationContext {
  return {
    root: (name) => (Object.hasOwn(roots, name) ? roots[name] : undefined),
    now: NOW,
    random: (bytes) => new Uint8Array(bytes).fill(7),
    ...more,
  };
}

/** The value of one expression, written without braces. */
export const valueOf = (source: string, roots?: Record<string, Json>, more?: Partial<EvaluationContext>): Json =>
  render(compileTemplate(`{{${source}}}`), envOf(roots, more));

/** Whether a condition, written without braces, holds. */
export const holds = (source: string, roots?: Record<string, Json>): boolean =>
  truthy(render(compileCondition(`{{${source}}}`), envOf(roots)));

/** The error of an expression, which must have one. */
export function failureOf(
  source: string,
  roots?: Record<string, Json>,
  more?: Partial<EvaluationContext>,
): ExpressionError {
  try {
    const value = valueOf(source, roots, more);
    throw new Error(`expected ${source} to fail, but it is ${JSON.stringify(value)}`);
  } catch (error) {
    if (error instanceof ExpressionError) return error;
    throw error;
  }
}
