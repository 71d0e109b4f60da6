import { auditService } from '../../../services/audit/audit.service';
import { authService } from '../../../services/auth/auth.service';
import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { knowledgeService } from '../../../services/knowledge/knowledge.service';
import { secretsService } from '../../../services/secrets/secrets.service';
import { hostileFiles } from '../../hostile-files';
import { registerTenant } from '../../support/accounts';
import { startApp, type TestApp } from '../../support/app';
import { docx, wordParagraph } from '../../support/documents/office';
import { ask, type HttpAnswer } from '../../support/http';
import { until } from '../../support/until';

type Made = Record<string, unknown> & { id: string; status: string; error: { code: string } | null };

const BASES = '/api/v1/knowledge-bases';
const UPLOAD_LIMIT = 256 * 1024;

let app: TestApp;
let token: string;
let tenantId: string;
let base: string;

beforeAll(async () => {
  const services = [authService, auditService, secretsService, knowledgeService, apiGatewayService];
  app = await startApp({ services, env: { UPLOAD_LIMIT: String(UPLOAD_LIMIT) } });
  const registered = await registerTenant(app);
  ({ token } = registered);
  tenantId = registered.tenant.id;
  base = await makeBase('Handbook');
});
afterAll(() => app?.close());

const send = (line: `${string} /${string}`, body?: unknown, who = token): Promise<HttpAnswer> =>
  ask(app, line, { token: who, body });
const makeBase = async (name: string): Promise<string> => String((await send(`POST ${BASES}`, { name })).body.id);
const add = (body: object, to = base): Promise<HttpAnswer> => send(`POST ${BASES}/${to}/documents`, body);
const codeOf = ({ status, body }: HttpAnswer) => [status, body.code];

function upload(
  content: Buffer<ArrayBuffer> | string,
  filename: string,
  fields: Record<string, string> = {},
  to = base,
) {
  const form = new FormData();
  form.append('file', new Blob([content]), filename);
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return ask(app, `POST ${BASES}/${to}/documents/upload`, { token, form });
}

const ended = (id: unknown, of = base): Promise<Made> =>
  until('the document is read', async () => {
    const document = (await send(`GET ${BASES}/${of}/documents/${String(id)}`)).body as Made;
    return ['ready', 'failed'].includes(document.status) ? document : null;
  });

describe('a document', () => {
  test('that is a short text is ready in the answer, found, listed, shown in chunks, and gone once it is deleted', async () => {
    const metadata = { team: 'people', tags: ['a', 'b'] };
    const { status, body } = await add({ text: '# Holidays\n\nThere are 28 days of holiday.', metadata });
    expect([status, body]).toEqual([
      201,
      expect.objectContaining({ name: 'Holidays', status: 'ready', chunks: 1, source: { kind: 'text' }, metadata }),
    ]);
    const path = `${BASES}/${base}/documents/${String(body.id)}` as const;
    const found = await send(`POST ${BASES}/${base}/query`, { query: 'days of holiday', filter: { team: 'people' } });
    expect(found.body).toMatchObject({ mode: 'lexical', data: [{ document_id: body.id, heading: 'Holidays' }] });
    expect((await send(`GET ${path}/chunks`)).body).toMatchObject({
      data: [{ n: 0, start: 0, heading: ['Holidays'] }],
    });
    expect((await send(`GET ${BASES}/${base}/documents?status=ready&limit=1`)).body.data).toEqual([body]);
    expect((await send(`GET ${BASES}`)).body).toMatchObject({ data: [{ id: base, documents: 1, chunks: 1 }] });
    expect((await send(`DELETE ${path}`)).status).toBe(204);
    expect((await send(`GET ${path}`)).status).toBe(404);
    expect((await send(`POST ${BASES}/${base}/query`, { query: 'days of holiday' })).body.data).toEqual([]);
    const { data } = (await send('GET /api/v1/audit')).body as { data: { action: string; target: { id: string } }[] };
    const its = data.filter(({ target }) => target.id === body.id).map(({ action }) => action);
    expect(its).toEqual(['knowledge_document.delete', 'knowledge_document.create']);
  });

  test('that is a file is read in the background, by its name or another, with what the form says of it', async () => {
    const file = docx(wordParagraph('Expenses are paid within a week.'));
    const { status, body } = await upload(file, 'Expenses 2026.docx', { name: 'Expenses', metadata: '{"year":2026}' });
    expect([status, body]).toEqual([201, expect.objectContaining({ name: 'Expenses', metadata: { year: 2026 } })]);
    expect(await ended(body.id)).toMatchObject({
      status: 'ready',
      source: { kind: 'upload', filename: 'Expenses 2026.docx' },
      size: file.length,
      progress: null,
    });
    expect((await send(`POST ${BASES}/${base}/query`, { query: 'when are expenses paid' })).body).toMatchObject({
      data: [{ document_name: 'Expenses', text: 'Expenses are paid within a week.' }],
    });
    const again = await upload(file, 'other.docx');
    expect([again.status, again.body]).toEqual([200, expect.objectContaining({ id: body.id, duplicate: true })]);
    expect((await send(`POST ${BASES}/${base}/documents/${String(body.id)}/refresh`)).status).toBe(202);
    expect(await ended(body.id)).toMatchObject({ status: 'ready', chunks: 1 });
  });

  test('that was added already is answered again, however many come at once, and by its key', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => add({ text: 'The same text.' })));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 200, 200, 200, 200, 201]);
    const keyed = await add({ text: 'One thing.', key: 'k' });
    expect((await add({ text: 'Another thing.', key: 'k' })).body).toEqual(keyed.body);
    expect((await add({ text: 'The same text.' }, await makeBase('Other'))).status).toBe(201);
  });

  test.each([
    ['neither text nor address', {}, 'invalid_request'],
    ['both', { text: 'x', url: 'https://example.com' }, 'invalid_request'],
    ['a blank text', { text: ' \n ' }, 'invalid_request'],
    ['no address', { url: 'ftp://example.com' }, 'invalid_request'],
    ['a password in its address', { url: 'https://a:b@example.com' }, 'invalid_request'],
    ['a refresh that is too often', { url: 'https://example.com', refresh: '1m' }, 'invalid_request'],
    ['a refresh of a text', { text: 'x', refresh: '1d' }, 'invalid_request'],
    ['more than a document may have', { text: 'x'.repeat(UPLOAD_LIMIT + 1) }, 'payload_too_large'],
  ])('is refused with %s', async (_what, body, code) => expect((await add(body)).body.code).toBe(code));

  test('is refused with metadata that no filter could name', async () => {
    for (const key of ['$gt', 'a.b', '', '__proto__', 'a\0'])
      expect(codeOf(await add({ text: 'x', metadata: JSON.parse(`{${JSON.stringify(key)}: 1}`) }))).toEqual([
        400,
        'invalid_request',
      ]);
    expect(codeOf(await upload('x', 'x.txt', { metadata: '{' }))).toEqual([400, 'invalid_json']);
  });

  test('is refused as a file that is too large, empty or for no base, and nothing of it stays', async () => {
    expect(codeOf(await upload('x'.repeat(UPLOAD_LIMIT + 1), 'x.txt'))).toEqual([413, 'payload_too_large']);
    expect(codeOf(await upload('', 'x.txt'))).toEqual([400, 'invalid_request']);
    expect(codeOf(await upload('x', 'x.txt', {}, 'unknown'))).toEqual([404, 'not_found']);
    expect(codeOf(await send(`POST ${BASES}/${base}/documents/upload`, {}))).toEqual([415, 'unsupported_media_type']);
    expect(await app.app.db.collection('knowledge_uploads').countDocuments()).toBe(0);
  });

  test('over the limit of the plan is refused, however many come at once', async () => {
    const full = await registerTenant(app, { email: 'full@example.com' });
    const mine = String((await send(`POST ${BASES}`, { name: 'Full' }, full.token)).body.id);
    const { db } = app.app;
    // As if much was there: what counts is on record.
    const record = { tenant_id: full.tenant.id, base_id: mine, state: 'removing', due_at: null };
    const size = 512 * 1024 * 1024 - 30_000;
    await db.collection('knowledge_documents').insertOne({ _id: 'much' as never, ...record, bytes: size });
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        send(`POST ${BASES}/${mine}/documents`, { text: `${n}`.repeat(20_000) }, full.token),
      ),
    );
    const codes = answers.map(({ status, body }) => [status, body.code ?? body.status, (body.error as Made)?.code]);
    expect(codes.filter(([status]) => status === 402).length).toBe(5);
    // Its chunks and vectors come on top of it.
    expect(codes.filter(([status]) => status === 201)).toEqual([[201, 'failed', 'quota_exceeded']]);
    const usage = await app.call('knowledge.usage', {}, { tenant_id: full.tenant.id, role: 'service' });
    expect(usage.bytes).toBe(size + 20_000);
  });
});

describe('a base', () => {
  test('is named once in a tenant, changed, and gone with all that it has', async () => {
    expect(codeOf(await send(`POST ${BASES}`, { name: 'Handbook' }))).toEqual([409, 'conflict']);
    const mine = await makeBase('Mine');
    const { body } = await add({ text: 'In a base that goes.' }, mine);
    const changed = await send(`PUT ${BASES}/${mine}`, { name: 'Yours', chunking: { max_tokens: 100 } });
    expect(changed.body).toMatchObject({ name: 'Yours', chunking: { max_tokens: 100, overlap_tokens: 16 } });
    expect((await send(`DELETE ${BASES}/${mine}`)).status).toBe(204);
    for (const path of ['', '/documents', `/documents/${String(body.id)}`])
      expect((await send(`GET ${BASES}/${mine}${path}`)).status).toBe(404);
    expect((await send(`POST ${BASES}`, { name: 'Yours' })).status).toBe(201);
    await until('nothing of it is left', async () => {
      const left = await app.app.db.collection('knowledge_chunks').countDocuments({ base_id: mine });
      return left === 0;
    });
  });

  test('is refused with a key itself, an unknown secret, or a provider that makes no vectors', async () => {
    const model = { provider: 'openai', model: 'text-embedding-3-small' };
    const refusal = async (embedding: object) => codeOf(await send(`POST ${BASES}`, { name: 'Model', embedding }));
    expect(await refusal({ ...model, api_key: 'sk-123' })).toEqual([400, 'invalid_request']);
    expect(await refusal({ ...model, api_key: '{{ secret.NONE }}' })).toEqual([400, 'unknown_secret']);
    expect(await refusal({ ...model, provider: 'anthropic' })).toEqual([400, 'invalid_request']);
    expect(await refusal(model)).toEqual([400, 'invalid_request']);
    await send('POST /api/v1/secrets', { name: 'KEY', value: 'sk-456' });
    const made = await send(`POST ${BASES}`, { name: 'Model', embedding: { ...model, api_key: '{{ secret.KEY }}' } });
    expect([made.status, made.body]).toEqual([201, expect.objectContaining({ mode: 'hybrid' })]);
    expect(JSON.stringify(made.body)).not.toContain('sk-456');
  });
});

describe('a hostile file', () => {
  const titles = [
    'a flat bomb',
    'billion laughs',
    'an encrypted part',
    'a name that climbs',
    'deep XML',
    'a tree of pages that is its own branch',
    'forms that double',
    'a stream packed five times',
    'a font of nothing',
    'no catalogue',
    'nothing but an end',
    'a long attribute',
  ];
  const some = titles.flatMap((title) => hostileFiles().find((file) => file.title.startsWith(title)) ?? []);

  test('is one of a dozen', () => expect(some.length).toBe(12));

  test.each(some.map((file) => [file.title, file] as const))(
    '%s ends in a clear status, and harms nothing',
    async (_title, { filename, content, comesTo }) => {
      const bytes = Buffer.from(content());
      const { status, body } = await upload(bytes, filename);
      if (status === 413) return expect(bytes.length).toBeGreaterThan(UPLOAD_LIMIT);
      // Files of one content are one document.
      expect([200, 201]).toContain(status);
      const document = await ended(body.id);
      if (document.status === 'failed') expect(document.error?.code).toMatch(/^(?!internal)[a-z_]+$/);
      if (comesTo !== undefined) expect(comesTo).toContain(document.error?.code ?? 'parsed');
      expect(document.progress).toBeNull();
    },
  );

  test('leaves what was there to be found, and everything else at work', async () => {
    expect((await add({ text: 'After all of them.' })).body.status).toBe('ready');
    expect((await send(`POST ${BASES}/${base}/query`, { query: 'after all' })).body).toMatchObject({
      data: [{ text: 'After all of them.' }],
    });
    expect(await app.call('knowledge.resolve', { ref: 'Handbook' }, { tenant_id: tenantId, role: 'service' })).toEqual({
      id: base,
      name: 'Handbook',
    });
  });
});
