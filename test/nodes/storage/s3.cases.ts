import { EgressError } from '../../../lib/egress';
import { CASE_SECRET, type NodeCase, type ScriptedAnswer } from '../node-case';

const PLACE = {
  bucket: 'invoices',
  endpoint: 'https://minio.example',
  credentials: { access_key_id: 'AKIA', secret_access_key: CASE_SECRET },
};

const refused = (title: string, input: NodeCase['input'], message: string): NodeCase => ({
  title,
  input: { ...PLACE, operation: 'get', key: 'a', ...input },
  sends: [],
  outcome: { kind: 'fail', error: { code: 'invalid_config', message }, retryable: false },
});

const answered = (
  title: string,
  input: NodeCase['input'],
  answer: ScriptedAnswer,
  outcome: NodeCase['outcome'],
  send?: Record<string, unknown>,
): NodeCase => ({
  title,
  input: { ...PLACE, ...input },
  answers: [answer],
  ...(send === undefined ? {} : { sends: [send] }),
  outcome,
});

const failed = (code: string, message: string, retryable: boolean): NodeCase['outcome'] => ({
  kind: 'fail',
  error: { code, message },
  retryable,
});

const get = { operation: 'get', key: 'a' };
const list = { operation: 'list' };

const errorOf = (status: number, code: string, message = 'why'): ScriptedAnswer => ({
  status,
  headers: { 'content-type': 'application/xml' },
  body: `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`,
});

const LIST = `<?xml version="1.0" encoding="UTF-8"?>
<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
  <Name>invoices</Name><IsTruncated>true</IsTruncated><NextContinuationToken>next&amp;one</NextContinuationToken>
  <Contents><Key>a+b%2F%C3%BC%26.pdf</Key><LastModified>2026-01-02T03:04:05.000Z</LastModified><ETag>&quot;abc&quot;</ETag><Size>12</Size></Contents>
  <CommonPrefixes><Prefix>2026%2F</Prefix></CommonPrefixes>
</ListBucketResult>`;

export const cases: NodeCase[] = [
  answered(
    'an object is read, with what the store knows of it',
    { ...get, key: 'a b/ü+(1).json' },
    {
      status: 200,
      headers: {
        'content-type': 'application/json',
        etag: '"abc"',
        'last-modified': 'Fri, 02 Jan 2026 03:04:05 GMT',
        'x-amz-meta-order': '4711',
        'x-amz-version-id': 'v1',
      },
      body: '{"a":1}',
    },
    {
      kind: 'done',
      output: {
        body: { a: 1 },
        content_type: 'application/json',
        size: 7,
        etag: 'abc',
        version_id: 'v1',
        last_modified: '2026-01-02T03:04:05.000Z',
        metadata: { order: '4711' },
      },
    },
    { method: 'GET', url: 'https://minio.example/invoices/a%20b/%C3%BC%2B%281%29.json', maxRedirects: 0 },
  ),
  answered(
    'bytes come in base64',
    get,
    { status: 200, headers: { 'content-type': 'image/png' }, body: Buffer.from([255]) },
    {
      kind: 'done',
      output: { body: '/w==', content_type: 'image/png', size: 1 },
    },
  ),
  answered(
    'text is stored with its type and metadata',
    { operation: 'put', key: 'a', body: 'hello', metadata: { Order: '4711' } },
    { status: 200, headers: { etag: '"abc"' } },
    { kind: 'done', output: { etag: 'abc' } },
    {
      method: 'PUT',
      url: 'https://minio.example/invoices/a',
      body: Buffer.from('hello'),
      headers: { 'content-type': 'text/plain; charset=utf-8', 'x-amz-meta-order': '4711' },
    },
  ),
  answered(
    'other values are stored as JSON',
    { operation: 'put', key: 'a', body: { id: 1 } },
    { status: 200 },
    { kind: 'done', output: {} },
    { body: Buffer.from('{"id":1}'), headers: { 'content-type': 'application/json' } },
  ),
  answered(
    'bytes are stored from base64, also none',
    { operation: 'put', key: 'a', body_base64: '' },
    { status: 200 },
    { kind: 'done', output: {} },
    { body: Buffer.alloc(0), headers: { 'content-type': 'application/octet-stream' } },
  ),
  answered(
    'an object is deleted',
    { operation: 'delete', key: 'a' },
    { status: 204 },
    { kind: 'done', output: { deleted: true } },
    {
      method: 'DELETE',
    },
  ),
  answered(
    'an object is looked at',
    { operation: 'head', key: 'a' },
    { status: 200, headers: { 'content-length': '12', 'content-type': 'text/plain' } },
    { kind: 'done', output: { exists: true, size: 12, content_type: 'text/plain' } },
    { method: 'HEAD' },
  ),
  answered(
    'one that is not there completes the look',
    { operation: 'head', key: 'a' },
    { status: 404 },
    {
      kind: 'done',
      output: { exists: false },
    },
  ),
  answered(
    'objects are listed',
    { ...list, prefix: 'a b', delimiter: '/', max_keys: 2, continuation_token: 'x&y' },
    { status: 200, body: LIST },
    {
      kind: 'done',
      output: {
        objects: [{ key: 'a b/ü&.pdf', size: 12, etag: 'abc', last_modified: '2026-01-02T03:04:05.000Z' }],
        prefixes: ['2026/'],
        truncated: true,
        next_token: 'next&one',
      },
    },
    {
      method: 'GET',
      url: 'https://minio.example/invoices/?continuation-token=x%26y&delimiter=%2F&encoding-type=url&list-type=2&max-keys=2&prefix=a%20b',
    },
  ),
  answered(
    'an empty list',
    list,
    { status: 200, body: '<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>' },
    {
      kind: 'done',
      output: { objects: [], prefixes: [], truncated: false },
    },
  ),
  answered(
    'a list that is none',
    list,
    { status: 200, body: '<html><br></html>' },
    failed('invalid_response', 'not a list', false),
  ),
  answered(
    'a list with entities of its own',
    list,
    { status: 200, body: '<!DOCTYPE a [<!ENTITY b "c">]><ListBucketResult/>' },
    failed('invalid_response', 'not a list', false),
  ),
  {
    title: 'a link is made without asking anybody',
    input: { ...PLACE, operation: 'presign', key: 'a b', expires: '15m' },
    sends: [],
    outcome: {
      kind: 'done',
      output: {
        url:
          'https://minio.example/invoices/a%20b?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIA%2F20300101%2Fus-east-1%2Fs3%2Faws4_request' +
          '&X-Amz-Date=20300101T000000Z&X-Amz-Expires=900&X-Amz-Signature=fae2d25c409973287698e41eafbdbfccb4cab43836209c2cc40d386427a014d5&X-Amz-SignedHeaders=host',
        expires_at: '2030-01-01T00:15:00.000Z',
      },
    },
  },
  {
    title: "Amazon's own store is asked by the name of the bucket",
    input: { ...get, bucket: 'invoices', region: 'eu-central-1', credentials: PLACE.credentials },
    answers: [{ status: 200, headers: { 'content-type': 'text/plain' }, body: 'x' }],
    sends: [{ url: 'https://invoices.s3.eu-central-1.amazonaws.com/a' }],
    outcome: { kind: 'done', output: { body: 'x', content_type: 'text/plain', size: 1 } },
  },
  answered(
    'nothing of that name',
    get,
    errorOf(404, 'NoSuchKey'),
    failed('s3_not_found', 'get invoices/a answered 404 NoSuchKey: why', false),
  ),
  answered('no right to it', get, errorOf(403, 'AccessDenied'), failed('s3_denied', '403 AccessDenied', false)),
  answered('too much at once', get, errorOf(503, 'SlowDown'), failed('s3_status', '503 SlowDown', true)),
  answered('an error without words', get, { status: 500 }, failed('s3_status', 'get invoices/a answered 500', true)),
  answered(
    'another region',
    get,
    {
      ...errorOf(301, 'PermanentRedirect'),
      headers: { 'x-amz-bucket-region': 'eu-west-1', location: 'https://x.example' },
    },
    failed('s3_status', 'the bucket is in eu-west-1', false),
  ),
  answered(
    'a secret that is quoted is masked',
    get,
    errorOf(403, 'X', `it is ${CASE_SECRET}`),
    failed('s3_denied', 'it is ***', false),
  ),
  {
    title: 'a broken connection may be tried again',
    input: { ...PLACE, ...get },
    answers: [new EgressError('connect', 'reset')],
    outcome: failed('s3_connect', 'get invoices/a failed: reset', true),
  },
  refused('a bucket that is a host', { bucket: 'evil.example/x' }, '"bucket" must'),
  refused('a region that is a host', { region: 'x.evil.example/' }, '"region" must'),
  refused('an endpoint with a path', { endpoint: 'https://minio.example/x' }, '"endpoint" must'),
  refused('an endpoint with a password', { endpoint: 'https://a:b@minio.example' }, '"endpoint" must'),
  refused('a key that leaves its bucket', { key: '../other/a' }, '"key" must not have'),
  refused('a key that is too long', { key: 'ü'.repeat(600) }, '"key" has more than 1024 bytes'),
  { ...refused('no key', {}, '"key" is missing'), input: { ...PLACE, operation: 'delete' } },
  refused('nothing to store', { operation: 'put' }, '"body" is missing'),
  refused('bytes that are no base64', { operation: 'put', body_base64: 'a!' }, '"body_base64" is not valid base64'),
  refused(
    'a line break in metadata',
    { operation: 'put', body: '', metadata: { a: 'b\r\nc: d' } },
    '"metadata" has a forbidden',
  ),
  refused('a link without an end', { operation: 'presign', expires: '8d' }, '"expires" must be 1 second to 7 days'),
  refused('a time-out of nothing', { timeout: 0 }, '"timeout"'),
];
