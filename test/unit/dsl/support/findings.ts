import { type Validation, validateDocument } from '../../../../dsl';
import type { JsonObject } from '../../../../lib/json';
import { document, nodeTypes, step } from './documents';

/** Errors and warnings of a document; names of secrets are checked when some are given. */
export const check = (input: unknown, secretNames?: string[]): Validation =>
  validateDocument(input, { nodeTypes, secretNames: secretNames && new Set(secretNames) });

const asLines = (findings: Validation['errors']): string[] =>
  findings.map(({ path, message, hint }) => `${path}: ${message}${hint === undefined ? '' : ` [${hint}]`}`);

/** The errors, one line each: `path: message [hint]`. */
export const errorsOf = (input: unknown): string[] => asLines(check(input).errors);

/** The warnings, likewise. */
export const warningsOf = (input: unknown): string[] => asLines(check(input).warnings);

/** The only error of a document whose only step has these fields. */
export function errorOf(more: JsonObject): string {
  const errors = errorsOf(document([step('a', more)]));
  if (errors.length !== 1) throw new Error(`expected one error, there are ${errors.length}: ${errors.join('\n')}`);
  return errors[0] as string;
}
