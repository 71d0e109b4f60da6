import type { NodeCase } from '../node-case';

const files = { 'a.csv': { content: Buffer.from('x'), contentType: 'text/csv' } };
const shared = (title: string, input: NodeCase['input'], expires_at: string | null): NodeCase => ({
  title,
  input,
  files,
  outcome: { kind: 'done', output: { url: 'https://files.example/a.csv', id: 'share-of-the-case', expires_at } },
});
const failed = (title: string, input: NodeCase['input'], code: string, message: string): NodeCase => ({
  title,
  input,
  files,
  outcome: { kind: 'fail', error: { code, message }, retryable: false },
});

export const cases: NodeCase[] = [
  shared('a file is shared for as long as it is there', { path: 'a.csv' }, null),
  shared('or for a while', { path: 'a.csv', expires: '1d' }, '2030-01-02T00:00:00.000Z'),
  failed('a file that is not there', { path: 'b.csv' }, 'file_not_found', 'share b.csv: '),
  failed('for no time', { path: 'a.csv', expires: 0 }, 'invalid_config', '"expires" must be'),
  failed('a path that leaves the workspace', { path: '..' }, 'invalid_config', 'a segment . or ..'),
];
