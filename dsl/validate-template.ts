import type { ErrorDetail } from '../lib/errors';
import type { Json } from '../lib/json';
import type { JsonSchema } from './document';
import { checkConfig } from './validation/config';
import { checkExpressions, type Place } from './validation/expressions';
import { Issues } from './validation/issues';

/**
 * What is wrong with the template of a custom node, which stands at `path`: by the schema of what it shall become, and
 * in its expressions, which may use the node's own `fields`, secrets, and whatever steps there will be.
 */
export function validateCustomTemplate(
  template: Json,
  { path, schema, fields }: { path: string; schema: JsonSchema; fields: ReadonlySet<string> },
): ErrorDetail[] {
  const issues = new Issues();
  const place: Place = {
    outline: { sites: [], byId: new Map() },
    site: null,
    noSecrets: null,
    secretNames: undefined,
    fields,
  };
  checkExpressions(template, path, place, issues);
  checkConfig(template, schema, path, issues);
  return issues.errors;
}
