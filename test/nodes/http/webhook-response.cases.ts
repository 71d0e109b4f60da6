import type { NodeCase } from '../node-case';

const invalid = (message: string): NodeCase['outcome'] => ({
  kind: 'fail',
  error: { code: 'invalid_config', message },
  retryable: false,
});

export const cases: NodeCase[] = [
  { title: 'an empty 200', input: {}, outcome: { kind: 'done', output: { status: 200, headers: {}, body: null } } },
  {
    title: 'status, headers and body',
    input: {
      status: 201,
      headers: { 'X-Count': 3, 'X-Ok': true, 'X-None': null, 'Set-Cookie': ['a=1', 'b=2'] },
      body: { ok: true },
    },
    outcome: {
      kind: 'done',
      output: {
        status: 201,
        headers: { 'x-count': '3', 'x-ok': 'true', 'set-cookie': ['a=1', 'b=2'] },
        body: { ok: true },
      },
    },
  },
  { title: 'a header name with a space', input: { headers: { 'x y': '1' } }, outcome: invalid('"x y"') },
  {
    title: 'a header that would split the response',
    input: { headers: { 'x-a': '1\r\nset-cookie: b=2' } },
    outcome: invalid('line break'),
  },
  {
    title: 'one bad value in a list',
    input: { headers: { 'set-cookie': ['a=1', 'b=\n'] } },
    outcome: invalid('line break'),
  },
  {
    title: 'a header of the connection',
    input: { headers: { 'Content-Length': '5' } },
    outcome: invalid('belongs to the connection'),
  },
  {
    title: 'headers that no client would take',
    input: { headers: { 'x-long': 'a'.repeat(9_000) } },
    outcome: invalid('at most 8192 are allowed'),
  },
];
