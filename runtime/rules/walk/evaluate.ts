import { render, type Template } from '../../../dsl';
import { errorMessage } from '../../../lib/errors';
import type { Json } from '../../../lib/json';
import type { StepError } from '../../../nodes/contract';
import type { Turn } from '../turn';

/** What a template comes to at a path, or why it comes to nothing; `what` names it in the message. */
export function evaluate(
  run: Turn,
  template: Template,
  path: string,
  what: string,
): { kind: 'value'; value: Json } | { kind: 'refused'; error: StepError } {
  try {
    return { kind: 'value', value: render(template, run.env(path)) };
  } catch (fault) {
    const message = `${what} cannot be evaluated: ${errorMessage(fault)}`;
    return { kind: 'refused', error: { code: 'expression', message } };
  }
}
