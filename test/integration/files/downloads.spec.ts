import { AppError } from '../../../lib/errors';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { sha256 } from '../../../lib/crypto';
import { PART_BYTES } from '../../../contracts/files';
import { openSite, send, type Site, type User } from '../executor/site';
import { rawRequest, statusOf } from '../../support/raw-http';
import { until } from '../../support/until';

const CONTENT = randomBytes(2 * PART_BYTES + 300);
const TEXT = 'x'.repeat(100);

let site: Site;
let user: User;
let other: User;
let run: string;
let shared: { url: string; id: string };

beforeAll(async () => {
  site = await openSite();
  [user, other] = [await site.user(), await site.user()];
  const write = (id: string, config: object) => ({ id, type: 'file_write', config });
  const workflow = await user.workflow([
    write('large', { path: 'out/large.bin', content_base64: CONTENT.toString('base64') }),
    write('text', { path: 'note.txt', content: TEXT }),
    write('page', { path: 'page.html', content: '<script>alert(1)</script>' }),
    write('drawing', { path: 'drawing.svg', content: '<svg xmlns="http://www.w3.org/2000/svg"/>' }),
    write('odd', { path: 'r\u00e9sum\u00e9 "1";%0d.txt', content: 'x' }),
    write('empty', { path: 'empty', content: '' }),
    { id: 'share', type: 'file_share', config: { path: 'note.txt' } },
    { id: 'read', type: 'file_read', config: { path: 'note.txt' } },
  ] as never);
  const ended = await user.run(workflow);
  expect(ended).toMatchObject({ status: 'completed', output: { content: TEXT } });
  run = ended.id;
  shared = (await user.steps(run)).find(({ step_id }) => step_id === 'share')?.output as typeof shared;
}, 60_000);
afterAll(() => site.close());

const at = (path: string): string => `/api/v1/workspaces/runs/${run}/files/${path}`;
const sharedPath = (): string => new URL(shared.url).pathname;

interface Got {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

async function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Got> {
  const response = await fetch(site.url + path, {
    method,
    headers: { authorization: `Bearer ${user.token}`, ...headers },
  });
  return { status: response.status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) };
}

describe('the files of a run', () => {
  test('are listed, with where each can be downloaded', async () => {
    const { body } = await user.request('GET', `/api/v1/workspaces/runs/${run}/files`);
    const rows = body.data as { name: string; path: string; url: string; size: number; content_type: string }[];
    expect(rows.map(({ path }) => path).toSorted()).toEqual(
      ['out/large.bin', 'note.txt', 'page.html', 'drawing.svg', 'r\u00e9sum\u00e9 "1";%0d.txt', 'empty'].toSorted(),
    );
    expect(rows.find(({ path }) => path === 'out/large.bin')).toEqual({
      name: 'large.bin',
      path: 'out/large.bin',
      size: CONTENT.length,
      content_type: 'application/octet-stream',
      created_at: expect.any(String),
      url: `${site.url}/api/v1/workspaces/runs/${run}/files/out/large.bin`,
    });
    for (const { url, size } of rows) {
      const { status, body: bytes } = await get(new URL(url).pathname);
      expect([url, status, bytes.length]).toEqual([url, 200, size]);
    }
  });

  test('are shown to a caller that has the id of the run, with addresses of those that are shared', async () => {
    const { body } = await send(site.t, 'GET', `/public/executions/${run}/files`);
    const rows = body.data as { path: string; url: string | null }[];
    expect(rows.filter(({ url }) => url !== null).map(({ path }) => path)).toEqual(['note.txt']);
    expect(rows).toHaveLength(6);
    expect((await send(site.t, 'GET', '/public/executions/no-such-run/files')).status).toBe(404);
  });

  test('are not found for another tenant, and refused to unauthenticated callers', async () => {
    for (const path of [`/api/v1/workspaces/runs/${run}/files`, at('note.txt')]) {
      expect((await other.request('GET', path)).status).toBe(404);
      expect((await send(site.t, 'GET', path)).status).toBe(401);
    }
  });
});

describe('a download', () => {
  test('has all of the content, what it is, and what it must not do', async () => {
    const { status, headers, body } = await get(at('out/large.bin'));
    expect(status).toBe(200);
    expect(body.equals(CONTENT)).toBe(true);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': String(CONTENT.length),
      'content-disposition': `attachment; filename="large.bin"; filename*=UTF-8''large.bin`,
      etag: `"${sha256(CONTENT)}"`,
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'cache-control': 'private, no-cache',
    });
  });

  test('of an empty file is empty', async () => {
    const { status, headers, body } = await get(at('empty'));
    expect([status, headers.get('content-length'), body.length]).toEqual([200, '0', 0]);
  });

  test('is shown by browsers only where nothing in it can run', async () => {
    const kind = async (path: string) => (await get(at(path))).headers.get('content-disposition')?.split(';')[0];
    expect(await kind('note.txt')).toBe('inline');
    expect(await kind('page.html')).toBe('attachment');
    expect(await kind('drawing.svg')).toBe('attachment');
  });

  test('names the file, whatever its name holds', async () => {
    const { headers } = await get(at(encodeURIComponent('r\u00e9sum\u00e9 "1";%0d.txt')));
    expect(headers.get('content-disposition')).toBe(
      `inline; filename="r_sum_ _1___0d.txt"; filename*=UTF-8''r%C3%A9sum%C3%A9%20%221%22%3B%250d.txt`,
    );
  });

  test('HEAD has the same head, and no body', async () => {
    const [head, whole] = [await get(at('note.txt'), {}, 'HEAD'), await get(at('note.txt'))];
    expect([head.status, head.body.length]).toEqual([200, 0]);
    for (const name of ['content-length', 'etag', 'content-type', 'content-disposition', 'last-modified'])
      expect(head.headers.get(name)).toBe(whole.headers.get(name));
    // A range means nothing to HEAD (RFC 9110 section 14.2).
    expect((await get(at('note.txt'), { range: 'bytes=0-1' }, 'HEAD')).status).toBe(200);
  });

  test.each<[string, number, number]>([
    ['bytes=0-0', 0, 1],
    ['bytes=5-', 5, CONTENT.length],
    ['bytes=-300', CONTENT.length - 300, CONTENT.length],
    ['bytes=-99999999999', 0, CONTENT.length],
    [`bytes=${PART_BYTES - 1}-${PART_BYTES}`, PART_BYTES - 1, PART_BYTES + 1],
    [`bytes=${PART_BYTES}-${2 * PART_BYTES - 1}`, PART_BYTES, 2 * PART_BYTES],
    [`bytes=10-99999999999`, 10, CONTENT.length],
  ])('of the range %s has those bytes', async (range, first, end) => {
    const { status, headers, body } = await get(at('out/large.bin'), { range });
    expect(status).toBe(206);
    expect(headers.get('content-range')).toBe(`bytes ${first}-${end - 1}/${CONTENT.length}`);
    expect(headers.get('content-length')).toBe(String(end - first));
    expect(body.equals(CONTENT.subarray(first, end))).toBe(true);
  });

  test.each(['bytes=0-1,5-6', 'pages=1-2', 'bytes=5-2', 'bytes=', 'bytes=-', 'bytes=a-b', '0-5', 'bytes=1-2;x'])(
    'takes %s for no range',
    async (range) => {
      const { status, body } = await get(at('note.txt'), { range });
      expect([status, body.length]).toEqual([200, TEXT.length]);
    },
  );

  test.each(['bytes=100-', 'bytes=100-200', 'bytes=-0', `bytes=${'9'.repeat(400)}-`])(
    'of the range %s, after the end, is refused with the size',
    async (range) => {
      const { status, headers, body } = await get(at('note.txt'), { range });
      expect([status, headers.get('content-range')]).toEqual([416, 'bytes */100']);
      expect(JSON.parse(body.toString())).toMatchObject({ code: 'range_not_satisfiable' });
    },
  );

  test('of no byte of an empty file is refused', async () => {
    expect((await get(at('empty'), { range: 'bytes=0-' })).status).toBe(416);
  });

  test('goes by the conditions of its request', async () => {
    const { headers } = await get(at('note.txt'));
    const etag = headers.get('etag') as string;
    const modified = headers.get('last-modified') as string;
    const status = async (given: Record<string, string>) => (await get(at('note.txt'), given)).status;
    expect(await status({ 'if-none-match': etag })).toBe(304);
    expect(await status({ 'if-none-match': `"x", W/${etag}` })).toBe(304);
    expect(await status({ 'if-none-match': '*' })).toBe(304);
    expect(await status({ 'if-none-match': '"x"', 'if-modified-since': modified })).toBe(200);
    expect(await status({ 'if-modified-since': modified })).toBe(304);
    expect(await status({ 'if-modified-since': 'yesterday' })).toBe(200);
    expect(await status({ 'if-match': '"x"' })).toBe(412);
    expect(await status({ 'if-match': etag })).toBe(200);
    expect(await status({ 'if-match': `W/${etag}` })).toBe(412);
    expect(await status({ 'if-unmodified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' })).toBe(412);
    const range = 'bytes=0-9';
    expect(await status({ range, 'if-range': etag })).toBe(206);
    expect(await status({ range, 'if-range': `W/${etag}` })).toBe(200);
    expect(await status({ range, 'if-range': '"x"' })).toBe(200);
    expect(await status({ range, 'if-range': modified })).toBe(206);
    expect(await status({ range, 'if-range': 'Thu, 01 Jan 1970 00:00:00 GMT' })).toBe(200);
    const unchanged = await get(at('note.txt'), { 'if-none-match': etag });
    expect([unchanged.body.length, unchanged.headers.get('etag')]).toEqual([0, etag]);
  });
});

describe('a shared file', () => {
  test('is downloaded without a credential, whatever name the path ends with', async () => {
    for (const name of ['note.txt', 'x', '..%2F..%2Fetc%2Fpasswd', '%00', '%0d%0ax-evil:%201']) {
      const response = await fetch(`${site.url}/api/v1/files/${shared.id}/${name}`);
      expect([name, response.status, await response.text()]).toEqual([name, 200, TEXT]);
      expect(response.headers.get('content-disposition')).toContain('filename="note.txt"');
      expect(response.headers.get('x-evil')).toBeNull();
    }
    const part = await fetch(site.url + sharedPath(), { headers: { range: 'bytes=1-2' } });
    expect([part.status, await part.text()]).toEqual([206, 'xx']);
  });

  test('is found by its id alone', async () => {
    for (const id of ['no-such-file', run, shared.id.toUpperCase(), '00000000-0000-4000-8000-000000000000']) {
      expect([id, (await send(site.t, 'GET', `/api/v1/files/${id}/note.txt`)).status]).toEqual([id, 404]);
    }
  });

  test('is shared no more when its time is over, or another content has taken its place', async () => {
    const workflow = await user.workflow([
      { id: 'a', type: 'file_write', config: { path: 'a', content: 'one' } },
      { id: 'brief', type: 'file_share', config: { path: 'a', expires: '1s' } },
      { id: 'b', type: 'file_write', config: { path: 'b', content: 'one' } },
      { id: 'share', type: 'file_share', config: { path: 'b' } },
      { id: 'again', type: 'file_share', config: { path: 'b' } },
      { id: 'go', type: 'wait_for_signal', config: { signal: 'go' } },
      { id: 'anew', type: 'file_write', config: { path: 'b', content: 'two' } },
    ]);
    const id = await user.start(workflow);
    await user.waiting(id);
    const steps = await user.steps(id);
    const urlOf = (step: string) =>
      new URL((steps.find(({ step_id }) => step_id === step) as unknown as { output: { url: string } }).output.url)
        .pathname;
    expect(urlOf('again')).toBe(urlOf('share'));
    expect((await send(site.t, 'GET', urlOf('share'))).body).toEqual({ text: 'one' });
    await until('the brief share is over', async () => (await send(site.t, 'GET', urlOf('brief'))).status === 404);
    await user.request('POST', `/api/v1/executions/${id}/signal`, { signal: 'go' });
    await user.ended(id);
    expect((await send(site.t, 'GET', urlOf('share'))).status).toBe(404);
  });

  test('that is removed between its metadata and its content is answered with a status', async () => {
    const workflow = await user.workflow([
      { id: 'a', type: 'file_write', config: { path: 'a', content: 'one' } },
      { id: 'share', type: 'file_share', config: { path: 'a' } },
    ]);
    const id = await user.start(workflow);
    const { output } = await user.ended(id);
    const { broker } = site.t;
    const call = broker.call.bind(broker) as (...args: unknown[]) => Promise<unknown>;
    jest
      .spyOn(broker, 'call')
      .mockImplementation(((action: string, ...rest: unknown[]) =>
        action === 'files.shared_part'
          ? Promise.reject(new AppError('not_found', 'It is gone'))
          : call(action, ...rest)) as never);
    const { status } = await send(site.t, 'GET', new URL((output as { url: string }).url).pathname);
    jest.restoreAllMocks();
    expect(status).toBe(404);
  });
});

describe('a path that is none', () => {
  const raw = (path: string): Promise<string> =>
    rawRequest(
      site.url,
      `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${user.token}\r\nConnection: close\r\n\r\n`,
    );

  test.each([
    ['..', 400],
    ['%2e%2e', 400],
    ['out/../note.txt', 400],
    ['out/%2e%2e/note.txt', 400],
    ['out%2Flarge.bin', 400],
    ['%2e%2e%2f%2e%2e%2fetc%2fpasswd', 400],
    ['..%5c..%5cnote.txt', 400],
    ['note.txt%00.html', 400],
    ['%E2%80%AEtxt.note', 400],
    ['note.txt%0d%0aX-Evil:%201', 400],
    ['//note.txt', 400],
    ['out//large.bin', 400],
    ['%ff', 400],
    ['a/'.repeat(17) + 'a', 400],
    ['x'.repeat(300), 400],
    ['note.txt/x', 404],
    ['NOTE.TXT', 404],
    ['__proto__', 404],
  ])('such as %s is refused', async (path, status) => {
    const answer = await raw(at(path));
    expect(statusOf(answer)).toBe(status);
    expect(answer).not.toMatch(/^x-evil/im);
  });
});

test('a client that leaves, or takes nothing, stops the reading', async () => {
  const parts = 48;
  const tenant_id = String((await user.request('GET', '/api/v1/tenant')).body.id);
  const who = { tenant_id, role: 'service' as const };
  const blob_id = randomUUID();
  const file = { blob_id, execution_id: run, workflow_id: 'any', path: 'huge', content_type: 'a/b' };
  await site.t.call('files.begin', { ...file, size: parts * PART_BYTES }, who);
  const data = Buffer.alloc(PART_BYTES).toString('base64');
  for (let n = 0; n < parts; n++) await site.t.call('files.put_part', { blob_id, n, data }, who);
  await site.t.call('files.commit', { blob_id }, who);
  const calls = jest.spyOn(site.t.broker, 'call');
  const asked = (): number => calls.mock.calls.filter(([action]) => action === 'files.part').length;
  try {
    const { hostname, port } = new URL(site.url);
    const socket = connect(Number(port), hostname);
    socket.write(`GET ${at('huge')} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${user.token}\r\n\r\n`);
    await once(socket, 'data');
    socket.pause();
    const closed = once(socket, 'close');
    socket.destroy();
    await closed;
    // By the time the next request is answered, the gateway has received all that was under way for this one.
    expect((await get(at('note.txt'))).status).toBe(200);
    const before = asked();
    expect(before).toBeLessThan(parts);
    expect((await get(at('note.txt'))).status).toBe(200);
    expect(asked()).toBe(before + 1);
  } finally {
    calls.mockRestore();
  }
});
