import type { Compute } from '../lib/compute';
import { canonicalJson, type Json, jsonSize } from '../lib/json';
import { hashJsonSliced } from '../lib/json/hash-sliced';
import type { EvaluationContext } from './expression/evaluation-context';
import { renderSliced } from './render-sliced';
import type { Template } from './template';

/** A larger value is represented by its hash. */
const MAX_KEY_CHARS = 64 * 1_024;

/**
 * Renders a template as a key: the same text for equal values, '' for null. Does not block the main thread. @throws
 * ExpressionError, ComputeError
 */
export async function renderKey(compute: Compute, template: Template, env: EvaluationContext): Promise<string> {
  return keyOf(await renderSliced(compute, template, env));
}

async function keyOf(value: Json): Promise<string> {
  if (value === null) return '';
  if (jsonSize(value, MAX_KEY_CHARS) > MAX_KEY_CHARS) return `sha256:${await hashJsonSliced(value)}`;
  return typeof value === 'string' ? value : canonicalJson(value);
}
