import type { ErrorDetail } from '../lib/errors';
import type { Json } from '../lib/json';
import type { JsonSchema } from './document';
import { checkConfig } from './validation/config';
import { checkExpressions, type ExpressionScope } from './validation/expressions';
import { Issues } from './validation/issues';

/**
 * Validates the template of a custom node at `path`: by the schema of its result, and its expressions, which may use
 * the node's own `fields`, secrets and any steps; in a `polled` node the cursor instead of steps.
 */
export function validateCustomTemplate(
  template: Json,
  { path, schema, fields, polled }: { path: string; schema: JsonSchema; fields: ReadonlySet<string>; polled: boolean },
): ErrorDetail[] {
  const issues = new Issues();
  const scope: ExpressionScope = {
    documentIndex: { nodes: [], byId: new Map() },
    node: null,
    noSecrets: null,
    secretNames: undefined,
    fields,
    ...(polled ? { polled } : {}),
  };
  checkExpressions(template, path, scope, issues);
  checkConfig(template, schema, path, issues);
  return issues.errors;
}
