import { isObject, type JsonObject } from '../../../lib/json';
import { field, fieldOr, type Sign, withHeaders } from '../auth';
import type { HttpAction } from '../contract';
import { graphqlFault } from '../http/graphql';

import { InvalidInputError } from '../invalid-input-error';
import { anyValue, filledText, record, text } from '../../schema';
import { plainField, secretField } from '../credentials';
import { defineConnector } from '../define';

/** A bearer token, or a header of its own. */
const sign: Sign = (request, account) => {
  const [token, name] = [fieldOr(account, 'token'), fieldOr(account, 'header_name')];
  if (name !== '') return withHeaders(request, { [name.toLowerCase()]: field(account, 'header_value') });
  return token === '' ? request : withHeaders(request, { authorization: `Bearer ${token}` });
};

const action = (
  name: string,
  title: string,
  description: string,
  effect: HttpAction['effect'],
  sample: string,
): HttpAction => ({
  kind: 'http',
  name,
  title,
  description,
  effect,
  repeatable: effect === 'read',
  input: {
    query: filledText('GraphQL document with one or more operations.', sample, { maxLength: 100_000 }),
    variables: record('Variables of the operation.', { id: '4711' }),
    operation_name: text('Name of the operation to run, if there are several.', 'Order', { maxLength: 200 }),
  },
  required: ['query'],
  output: {
    type: 'object',
    properties: { data: anyValue('Data of the response.') },
    required: ['data'],
    additionalProperties: false,
  },
  request(input, account) {
    if (effect === 'read' && changes(String(input.query)))
      throw new InvalidInputError('"query" has an operation that changes something; use the action mutate');
    return { method: 'POST', url: field(account, 'url'), body: bodyOf(input) };
  },
  read: ({ body }) => ({ data: isObject(body) ? (body.data ?? null) : null }),
});

/** A mutation anywhere but in texts and comments; commas are blanks of GraphQL. */
const changes = (document: string): boolean =>
  /(?:^|[\s},])mutation\b/.test(document.replace(/"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"|#.*/g, ' '));

const bodyOf = ({ query, variables, operation_name }: JsonObject): JsonObject => ({
  query: query ?? '',
  ...(variables === undefined ? {} : { variables }),
  ...(operation_name === undefined ? {} : { operationName: operation_name }),
});

/** Any API that speaks GraphQL over HTTP. */
export const graphql = defineConnector({
  name: 'graphql',
  title: 'GraphQL API',
  description: 'Query any GraphQL API.',
  category: 'HTTP',
  docs: 'https://graphql.org/learn/serving-over-http/',

  fields: [
    plainField('url', 'Address', 'URL of the GraphQL endpoint.', 'https://api.example.com/graphql', { format: 'url' }),
    secretField('token', 'Token', 'Bearer token.', { required: false }),
    plainField('header_name', 'Name of a header', 'Name of a header to send instead of a bearer token.', 'x-api-key', {
      required: false,
    }),
    secretField('header_value', 'Value of that header', 'Value of the header.', { required: false }),
  ],
  base: (account) => fieldOr(account, 'url'),
  sign,
  fault: graphqlFault({ retryable: [], refused: ['UNAUTHENTICATED'] }),
  connectionTest: { action: 'query', input: { query: '{ __typename }' } },
  actions: [
    action('query', 'Ask', 'Runs a query.', 'read', 'query Order($id: ID!) { order(id: $id) { total } }'),
    action('mutate', 'Change', 'Runs a mutation.', 'write', 'mutation Pay($id: ID!) { pay(id: $id) { state } }'),
  ],
});
