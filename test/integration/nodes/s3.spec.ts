import type { Json, JsonObject } from '../../../lib/json';
import { s3Node } from '../../../nodes/storage/s3';
import { attempt, failureOf, outputOf } from './outside';
import { CREDENTIALS, REGION, type S3Store, startS3Store } from './s3-store';

let store: S3Store;
beforeAll(async () => {
  store = await startS3Store();
});
afterAll(() => store.close());
beforeEach(() => store.objects.clear());

const step = (operation: string, input: JsonObject): JsonObject => ({
  operation,
  endpoint: store.url,
  region: REGION,
  bucket: 'box',
  credentials: CREDENTIALS,
  ...input,
});
const act = (operation: string, input: JsonObject = {}) => outputOf(s3Node, step(operation, input));
const fail = (operation: string, input: JsonObject = {}) => failureOf(s3Node, step(operation, input));

test('an object is put, looked at, read and deleted', async () => {
  const key = "a folder/ü+&=?#%20'(1)*!.json";
  const { etag } = await act('put', { key, body: { total: 3 }, metadata: { order: '4711' } });
  expect([...store.objects.keys()]).toEqual([key]);
  const known = { content_type: 'application/json', etag, metadata: { order: '4711' }, size: 11 };
  expect(await act('head', { key })).toEqual({ exists: true, ...known });
  expect(await act('get', { key })).toEqual({ body: { total: 3 }, ...known });
  expect(await act('delete', { key })).toEqual({ deleted: true });
  expect(await act('head', { key })).toEqual({ exists: false });
  expect(await fail('get', { key })).toMatchObject({ code: 's3_not_found', retryable: false });
});

test('bytes stay what they are', async () => {
  const bytes = Buffer.from([0, 255, 128, 13, 10]).toString('base64');
  await act('put', { key: 'x.bin', body_base64: bytes });
  expect(await act('get', { key: 'x.bin' })).toMatchObject({ body: bytes, size: 5 });
  await act('put', { key: 'empty', body: '' });
  expect(await act('get', { key: 'empty' })).toMatchObject({ body: '', size: 0 });
});

test('objects are listed page by page', async () => {
  for (const key of ['in/a b', 'in/ü&c', 'in/c', 'out/d']) await act('put', { key, body: key });
  const first = await act('list', { prefix: 'in/', max_keys: 2 });
  expect(first).toMatchObject({ objects: [{ key: 'in/a b', size: 6 }, { key: 'in/c' }], truncated: true });
  const rest = await act('list', { prefix: 'in/', continuation_token: first.next_token as Json });
  expect(rest).toMatchObject({ objects: [{ key: 'in/ü&c' }], truncated: false });
  expect(rest).not.toHaveProperty('next_token');
});

test('a link reads, and a link writes, without credentials', async () => {
  await act('put', { key: 'a b+c', body: 'hello' });
  const read = await act('presign', { key: 'a b+c', expires: '15m' });
  expect(read.expires_at).toBe('2030-01-01T00:15:00.000Z');
  expect(await (await fetch(String(read.url))).text()).toBe('hello');
  expect((await fetch(String(read.url), { method: 'DELETE' })).status).toBe(403);
  expect((await fetch(String(read.url).replace('a%20b', 'other'))).status).toBe(403);
  const write = await act('presign', { key: 'new', method: 'PUT' });
  expect((await fetch(String(write.url), { method: 'PUT', body: 'x' })).status).toBe(200);
  expect(store.objects.get('new')?.bytes.toString()).toBe('x');
});

test('wrong credentials are refused, and not shown', async () => {
  const credentials = { ...CREDENTIALS, secret_access_key: 'open-sesame' };
  const failure = await fail('get', { key: 'a', credentials });
  expect(failure).toMatchObject({ code: 's3_denied', retryable: false });
  expect(failure.message).toContain('SignatureDoesNotMatch');
  expect(failure.message).not.toContain('open-sesame');
});

test('an object of more than 10 MiB is not read', async () => {
  store.objects.set('huge', { bytes: Buffer.alloc(10 * 1024 * 1024 + 1), type: 'text/plain', metadata: {} });
  expect(await fail('get', { key: 'huge' })).toMatchObject({ code: 's3_too_large', retryable: false });
});

test('a place where it must not go is blocked', async () => {
  const outcome = await attempt(s3Node, step('get', { key: 'a' }), { allow: '' });
  expect(outcome).toMatchObject({ kind: 'fail', error: { code: 's3_blocked' }, retryable: false });
});
