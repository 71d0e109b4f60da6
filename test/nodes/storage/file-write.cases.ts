import { sha256 } from '../../../lib/crypto';
import type { JsonObject } from '../../../lib/json';
import { CASE_SECRET, type NodeCase } from '../node-case';

const written = (
  title: string,
  input: JsonObject & { path: string },
  content: string | Buffer,
  content_type: string,
): NodeCase => ({
  title,
  input,
  writes: [{ path: input.path, content: Buffer.from(content), contentType: content_type }],
  outcome: {
    kind: 'done',
    output: {
      path: input.path,
      name: input.path.slice(input.path.lastIndexOf('/') + 1),
      size: Buffer.byteLength(content),
      content_type,
      sha256: sha256(content),
    },
  },
});

const refused = (title: string, input: JsonObject, message: string): NodeCase => ({
  title,
  input,
  writes: [],
  outcome: { kind: 'fail', error: { code: 'invalid_config', message }, retryable: false },
});

export const cases: NodeCase[] = [
  written(
    'a text is written, of the type that its name tells',
    { path: 'a/b.csv', content: 'x,y\n' },
    'x,y\n',
    'text/csv; charset=utf-8',
  ),
  written('other values are written as JSON', { path: 'order', content: { id: 1 } }, '{"id":1}', 'application/json'),
  written('nothing is a content, too', { path: 'empty', content: '' }, '', 'text/plain; charset=utf-8'),
  written(
    'bytes come in base64',
    { path: 'image', content_base64: '/wA=' },
    Buffer.from([255, 0]),
    'application/octet-stream',
  ),
  written(
    'a secret is written as it is',
    { path: 'login.txt', content: `password ${CASE_SECRET}` },
    `password ${CASE_SECRET}`,
    'text/plain; charset=utf-8',
  ),
  written(
    'the author says what it is',
    { path: 'page.html', content: '<p>', content_type: 'text/plain' },
    '<p>',
    'text/plain',
  ),
  refused('a path that leaves the workspace', { path: '../other/file', content: '' }, 'a segment . or ..'),
  refused('a path from the root', { path: '/etc/passwd', content: '' }, 'begins with a slash'),
  refused('a path with a control character', { path: 'a\u0000.txt', content: '' }, 'control character'),
  refused('a path that reads backwards', { path: 'a\u202efdp.exe', content: '' }, 'control character'),
  refused('a path with a secret in it', { path: `of/${CASE_SECRET}.txt`, content: '' }, 'must not contain a secret'),
  refused('bytes that are no base64', { path: 'a', content_base64: 'a!' }, 'not valid base64'),
  refused('a type that is none', { path: 'a', content: '', content_type: 'text' }, 'must be a media type'),
  refused(
    'a type that breaks a header',
    { path: 'a', content: '', content_type: 'a/b\r\nx: y' },
    'must be a media type',
  ),
];
