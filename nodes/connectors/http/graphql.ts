import { isObject, type Json, type JsonObject } from '../../../lib/json';
import type { ConnectorResponse, ConnectorFault, ConnectorRequest, HttpAction, Pages } from '../contract';
import { messageAt, statusFault } from './fault';
import { bodyAt, withMember } from './pages';
import { outputAt } from './read';
import { codeAt, withDetails } from './error-text';

/** A GraphQL request. */
export const graphqlRequest = (url: string, query: string, variables: JsonObject = {}): ConnectorRequest => ({
  method: 'POST',
  url,
  body: { query, variables },
});

/** The output is the value at a path of the data. */
export const dataAt = (path: string): NonNullable<HttpAction['read']> => outputAt(`data.${path}`);

/** Pages of a GraphQL connection: `nodes`, and `pageInfo` with the cursor for the variable `after`. */
export const byConnection = (path: string): Pages => ({
  items(response) {
    const found = bodyAt(response, `data.${path}.nodes`);
    return Array.isArray(found) ? found : [];
  },
  next(response, request) {
    const more = bodyAt(response, `data.${path}.pageInfo.hasNextPage`) === true;
    const after = bodyAt(response, `data.${path}.pageInfo.endCursor`);
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
  readonly retryAfterMs?: (response: ConnectorResponse) => number | null;
  /** True for other responses that are retryable. */
  readonly isRetryable?: (response: ConnectorResponse) => boolean;
}

/** The first error of a GraphQL response, whatever its status. */
export const graphqlFault =
  ({ retryable, refused, retryAfterMs, isRetryable }: GraphqlErrors) =>
  (response: ConnectorResponse): ConnectorFault | null => {
    const message = messageAt('errors', 0, 'message')(response);
    const code = codeAt('errors[0].extensions.code')(response);
    const graphqlFault = message === null ? null : { code: 'graphql_error', message, retryable: false };
    const fault = statusFault(response, messageAt('errors', 0, 'message'), messageAt('errors')) ?? graphqlFault;
    if (fault === null) return null;
    return {
      ...withDetails(fault, response, code, {
        retryAfterMs,
        retryable: () => (code !== null && retryable.includes(code)) || isRetryable?.(response) === true,
      }),
      ...(code !== null && refused.includes(code) ? { tokenRefused: true } : {}),
    };
  };

/** The error `not_found` if the only value of the data is null, or an empty list with one of these names. */
export const notFoundWhenEmpty =
  (...lists: readonly string[]) =>
  (response: ConnectorResponse): ConnectorFault | null => {
    const data = bodyAt(response, 'data');
    const found = isObject(data) ? Object.entries(data) : [];
    const none = found.length === 1 && found.every(([name, value]) => value === null || isEmpty(name, value, lists));
    return none ? { code: 'not_found', message: 'nothing has this id', retryable: false } : null;
  };

const isEmpty = (name: string, value: unknown, lists: readonly string[]): boolean =>
  lists.includes(name) && Array.isArray(value) && value.length === 0;
