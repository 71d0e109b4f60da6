import type { ConnectorCase } from './connector-case';

const credentials = { url: '{{server}}/graphql', token: 'gql-0123456789' };
const headers = { authorization: 'Bearer gql-0123456789', 'content-type': 'application/json' };
const asked = (body: ConnectorCase['input']) => [{ method: 'POST', path: '/graphql', headers, body }];

export const cases: ConnectorCase[] = [
  {
    title: 'a query gives its data',
    action: 'query',
    credentials,
    input: { query: 'query O($id: ID!) { order(id: $id) { total } }', variables: { id: '7' }, operation_name: 'O' },
    expects: asked({
      query: 'query O($id: ID!) { order(id: $id) { total } }',
      variables: { id: '7' },
      operationName: 'O',
    }),
    answers: [{ json: { data: { order: { total: 3 } } } }],
    outcome: { kind: 'done', output: { data: { order: { total: 3 } } } },
  },
  {
    title: 'errors in an answer that is fine otherwise are a fault',
    action: 'query',
    credentials,
    input: { query: '{ nothing }' },
    expects: asked({ query: '{ nothing }' }),
    answers: [{ json: { data: null, errors: [{ message: 'Cannot query field "nothing"' }] } }],
    outcome: {
      kind: 'fail',
      error: { code: 'graphql_error', message: 'Cannot query field "nothing"' },
      retryable: false,
    },
  },
  {
    title: 'a mutation is sent',
    action: 'mutate',
    credentials: { url: '{{server}}/graphql', header_name: 'X-Key', header_value: 'k-0123456789' },
    input: { query: 'mutation { pay { state } }' },
    expects: [
      {
        method: 'POST',
        path: '/graphql',
        headers: { 'x-key': 'k-0123456789', authorization: null },
        body: { query: 'mutation { pay { state } }' },
      },
    ],
    answers: [{ json: { data: { pay: { state: 'paid' } } } }],
    outcome: { kind: 'done', output: { data: { pay: { state: 'paid' } } } },
  },
  {
    title: 'what only asks changes nothing, behind a comma either',
    action: 'query',
    credentials,
    input: { query: 'query A { a },mutation B { b }', operation_name: 'B' },
    expects: [],
    answers: [],
    outcome: { kind: 'fail', error: { code: 'invalid_config', message: 'use the action mutate' }, retryable: false },
  },
  {
    title: 'what only asks changes nothing',
    action: 'query',
    credentials,
    input: { query: 'query A { a(x: "mutation") } mutation B { b }', operation_name: 'B' },
    expects: [],
    answers: [],
    outcome: { kind: 'fail', error: { code: 'invalid_config', message: 'use the action mutate' }, retryable: false },
  },
];
