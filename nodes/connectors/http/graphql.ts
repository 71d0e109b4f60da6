import { isObject, type Json, type JsonObject } from '../../../lib/json';
import type { ConnectorAnswer, ConnectorFault, ConnectorRequest, HttpAction, Pages } from '../contract';
import { messageAt, statusFault } from './fault';
import { bodyAt, withMember } from './pages';
import { outputAt } from './read';
import { codeAt, withDetails } from './error-text';

/** A document of GraphQL with its variables, posted to `url`. */
export const document = (url: string, query: string, variables: JsonObject = {}): ConnectorRequest => ({
  method: 'POST',
  url,
  body: { query, variables },
});

/** What lies at a path of the answer's data as the output. */
export const dataAt = (path: string): NonNullable<HttpAction['read']> => outputAt(`data.${path}`);

/** Pages of a connection: `nodes`, and `pageInfo` with the cursor that goes into the variable `after`. */
export const byConnection = (path: string): Pages => ({
  items(answer) {
    const found = bodyAt(answer, `data.${path}.nodes`);
    return Array.isArray(found) ? found : [];
  },
  next(answer, request) {
    const more = bodyAt(answer, `data.${path}.pageInfo.hasNextPage`) === true;
    const after = bodyAt(answer, `data.${path}.pageInfo.endCursor`);
    return more && typeof after === 'string' ? withVariable(request, 'after', after) : null;
  },
});

/** The same request with another variable. */
function withVariable(request: ConnectorRequest, name: string, value: Json): ConnectorRequest {
  const { body } = request;
  const variables = isObject(body) && 'variables' in body && isObject(body.variables) ? body.variables : {};
  return withMember(request, { variables: { ...variables, [name]: value } });
}

/** Error codes that are retryable, and those that mean an invalid token. */
interface GraphqlErrors {
  readonly retryable: readonly string[];
  readonly refused: readonly string[];
  readonly retryAfterMs?: (answer: ConnectorAnswer) => number | null;
  /** True for other responses that are retryable. */
  readonly isRetryable?: (answer: ConnectorAnswer) => boolean;
}

/** What is wrong with an answer of GraphQL, whatever its status: the first of its errors. */
export const graphqlFault =
  ({ retryable, refused, retryAfterMs, isRetryable }: GraphqlErrors) =>
  (answer: ConnectorAnswer): ConnectorFault | null => {
    const message = messageAt('errors', 0, 'message')(answer);
    const code = codeAt('errors[0].extensions.code')(answer);
    const graphqlFault = message === null ? null : { code: 'graphql_error', message, retryable: false };
    const fault = statusFault(answer, messageAt('errors', 0, 'message'), messageAt('errors')) ?? graphqlFault;
    if (fault === null) return null;
    return {
      ...withDetails(fault, answer, code, {
        retryAfterMs,
        retryable: () => (code !== null && retryable.includes(code)) || isRetryable?.(answer) === true,
      }),
      ...(code !== null && refused.includes(code) ? { tokenRefused: true } : {}),
    };
  };

/**
 * What a question for one thing found: nothing of that id, which GraphQL answers with null, or an empty list under one
 * of these names, and no error.
 */
export const missing =
  (...lists: readonly string[]) =>
  (answer: ConnectorAnswer): ConnectorFault | null => {
    const data = bodyAt(answer, 'data');
    const found = isObject(data) ? Object.entries(data) : [];
    const none = found.length === 1 && found.every(([name, value]) => value === null || isEmpty(name, value, lists));
    return none ? { code: 'not_found', message: 'there is nothing of that id', retryable: false } : null;
  };

const isEmpty = (name: string, value: unknown, lists: readonly string[]): boolean =>
  lists.includes(name) && Array.isArray(value) && value.length === 0;
