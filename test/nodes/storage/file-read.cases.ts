import { sha256 } from '../../../lib/crypto';
import type { Json, JsonObject } from '../../../lib/json';
import { CASE_SECRET, type NodeCase } from '../node-case';

const FILES = {
  'a/order.json': { content: Buffer.from('{"id":1}'), contentType: 'application/json' },
  'broken.json': { content: Buffer.from('{'), contentType: 'application/json' },
  image: { content: Buffer.from([255, 0]), contentType: 'image/png' },
};

const read = (title: string, input: JsonObject & { path: keyof typeof FILES }, content: Json): NodeCase => ({
  title,
  input,
  files: FILES,
  outcome: {
    kind: 'done',
    output: {
      content,
      path: input.path,
      name: input.path.slice(input.path.lastIndexOf('/') + 1),
      size: FILES[input.path].content.length,
      content_type: FILES[input.path].contentType,
      sha256: sha256(FILES[input.path].content),
    },
  },
});

const failed = (title: string, input: JsonObject, code: string, message: string): NodeCase => ({
  title,
  input,
  files: FILES,
  outcome: { kind: 'fail', error: { code, message }, retryable: false },
});

export const cases: NodeCase[] = [
  read('a JSON document is parsed', { path: 'a/order.json' }, { id: 1 }),
  read('or given as text', { path: 'a/order.json', response: 'text' }, '{"id":1}'),
  read('bytes come in base64', { path: 'image' }, '/wA='),
  read('invalid JSON is text where JSON is not requested', { path: 'broken.json' }, '{'),
  failed(
    'invalid JSON fails where it is',
    { path: 'broken.json', response: 'json' },
    'invalid_content',
    'not valid JSON',
  ),
  failed('a file that is not there', { path: 'missing' }, 'file_not_found', 'read missing: '),
  failed('a run that is not there', { path: 'image', execution_id: 'x' }, 'file_not_found', 'read image: '),
  failed('a path that leaves the workspace', { path: 'a/../../b' }, 'invalid_config', 'a segment . or ..'),
  failed('a secret in a path is masked', { path: `of/${CASE_SECRET}` }, 'file_not_found', 'of/***'),
];
