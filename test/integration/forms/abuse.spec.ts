import { pageToken } from '../../../services/api-gateway/forms/tokens';
import { type Form, type FormSite, openFormSite } from './site';

let site: FormSite;

beforeAll(async () => {
  site = await openFormSite({ WEBHOOK_LIMIT: '300000' });
}, 60_000);
afterAll(() => site.close());

const TEXT = { type: 'object', properties: { name: { type: 'string', title: 'Name' } } };
const runsOf = async ({ id }: Form): Promise<number> => {
  const { body } = await site.api('GET /api/v1/executions?limit=200');
  return (body.data as { workflow_def_id: string }[]).filter((run) => run.workflow_def_id === id).length;
};

describe('a form is protected', () => {
  test('by a field that people do not see', async () => {
    const form = await site.form({ inputs: TEXT });
    const { status, html } = await form.send({ name: 'Ada' }, { contact_me_by_fax: 'x' });
    expect([status, await runsOf(form)]).toEqual([422, 0]);
    expect(html).toContain('value="Ada"');
    expect(html).toContain('people do not see');
  });

  test('by the time that filling in takes, and by the age of the page', async () => {
    const form = await site.form({ inputs: TEXT });
    const { keys, clock } = site.t.app;
    for (const [page, message] of [
      [pageToken(keys.ids, form.id, clock.now()), 'very fast'],
      [pageToken(keys.ids, form.id, clock.now() - 8 * 86_400_000), 'open for too long'],
      [pageToken(keys.ids, 'another', clock.now() - 5_000), 'open for too long'],
      ['', 'open for too long'],
      ['a.b.c', 'open for too long'],
    ] as const) {
      const { status, html } = await form.send({ name: 'Ada' }, { page });
      expect([status, html.includes(message), html.includes('value="Ada"')]).toEqual([422, true, true]);
    }
    expect(await runsOf(form)).toBe(0);
  });

  test('by a limit for each address', async () => {
    const form = await site.form({});
    const statuses: number[] = [];
    for (let n = 0; n < 25; n++) statuses.push((await form.send({})).status);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(3);
    expect(await runsOf(form)).toBeLessThanOrEqual(22);
  });

  test('and starts one run however often a page is sent', async () => {
    const form = await site.form({ inputs: TEXT });
    const page = pageToken(site.t.app.keys.ids, form.id, site.t.app.clock.now() - 5_000);
    const answers = await Promise.all([1, 2, 3].map(() => form.send({ name: 'Ada' }, { page })));
    expect(new Set(answers.map(({ location }) => location)).size).toBe(1);
    expect(await runsOf(form)).toBe(1);
    const changed = await form.send({ name: 'Bob' }, { page });
    expect([changed.status, changed.html.includes('sent before')]).toEqual([409, true]);
  });

  test('against bodies that are too large or broken', async () => {
    const form = await site.form({ inputs: TEXT });
    const post = async (body: string, type: string) =>
      (await fetch(form.url, { method: 'POST', body, headers: { 'content-type': type } })).status;
    expect(await post(`a=${'x'.repeat(1_100_000)}`, 'application/x-www-form-urlencoded')).toBe(413);
    expect(await post('{}', 'application/json')).toBe(415);
    expect(await post('--x\r\nbroken', 'multipart/form-data; boundary=x')).toBe(400);
    expect(await post('__proto__=1&field.__proto__=2&field.name=x', 'application/x-www-form-urlencoded')).toBe(422);
  });
});

describe('a link', () => {
  const link = async ({ id }: Form, body: object = {}) => {
    const { status, body: given } = await site.api(`POST /api/v1/workflows/${id}/form-links`, body);
    return { status, url: String(given.url), given };
  };

  test('opens a form once, with values that are filled in', async () => {
    const form = await site.form({ inputs: TEXT, config: { access: 'link' } });
    expect((await site.get(form.url)).status).toBe(404);
    expect((await form.send({ name: 'Eve' })).status).toBe(404);
    const { url } = await link(form, { values: { name: 'Ada "L"' }, expires_in: '1h' });
    expect((await site.get(url)).html).toContain('value="Ada &quot;L&quot;"');
    const sent = await form.send({ name: 'Ada' }, {}, url);
    expect(sent.status).toBe(303);
    expect((await site.get(url)).status).toBe(410);
    expect((await form.send({ name: 'Bob' }, {}, url)).status).toBe(410);
    expect(await runsOf(form)).toBe(1);
  });

  test('is refused when it was changed, or belongs to another form', async () => {
    const form = await site.form({});
    const other = await site.form({});
    const { url } = await link(form);
    const token = new URL(url).searchParams.get('link') ?? '';
    const [content = '', signature = ''] = token.split('.');
    const [nonce, until] = JSON.parse(Buffer.from(content, 'base64url').toString()) as [string, number];
    const later = Buffer.from(JSON.stringify([nonce, until + 1, {}])).toString('base64url');
    for (const bad of [`${form.url}?link=${later}.${signature}`, `${form.url}?link=x`, `${other.url}?link=${token}`])
      expect((await site.get(bad)).status).toBe(404);
  });

  test.each([{ expires_in: '31d' }, { expires_in: 'x' }, { expires_in: '0s' }, { values: { a: 'x'.repeat(2_000) } }])(
    'is not made of %j',
    async (body) => {
      expect((await link(await site.form({}), body)).status).toBe(400);
    },
  );

  test('is for workflows that have a form', async () => {
    const dsl = { id: 'flow', trigger: { type: 'manual' }, steps: [{ id: 'a', type: 'set', config: {} }] };
    const { body } = await site.api('POST /api/v1/workflows', { name: 'Other', dsl });
    expect((await site.api(`POST /api/v1/workflows/${String(body.id)}/form-links`, {})).status).toBe(409);
    expect((await site.api(`GET /api/v1/workflows/${String(body.id)}/form`)).body).toMatchObject({ live: false });
  });
});

describe('files', () => {
  const PDF = {
    type: 'object',
    format: 'file',
    title: 'Report',
    contentMediaType: 'application/pdf, image/*',
    properties: { size: { type: 'integer', maximum: 20_000 } },
  };
  const inputs = {
    type: 'object',
    required: ['report'],
    properties: { report: PDF, more: { type: 'array', items: { type: 'object', format: 'file' }, title: 'More' } },
  };
  const pdf = (text = '%PDF-1.7 a', type = 'application/pdf', name = 'a/../b.pdf') => new File([text], name, { type });
  const steps = [{ id: 'read', type: 'file_read', config: { path: '{{ trigger.report.path }}', response: 'text' } }];

  test('are in the workspace of the run', async () => {
    const form = await site.form({ inputs, steps });
    expect((await site.get(form.url)).html).toContain('enctype="multipart/form-data"');
    const more = [
      new File(['1'], 'same.txt', { type: 'text/plain' }),
      new File(['2'], 'same.txt', { type: 'text/plain' }),
    ];
    const { location } = await form.send({ report: pdf(), more });
    const run = await site.run(String(location));
    expect(run.output).toMatchObject({ content: '%PDF-1.7 a', content_type: 'application/pdf' });
    const { body } = await site.api(`GET /api/v1/executions/${String(run.id)}`);
    expect(body.input).toMatchObject({
      report: {
        name: 'b.pdf',
        path: 'form/report/b.pdf',
        size: 10,
        sha256: expect.stringMatching(/^[\da-f]{64}$/),
      },
      more: [{ path: 'form/more/same.txt' }, { path: 'form/more/1-1/same.txt' }],
    });
  });

  test.each<[string, File, string]>([
    ['without a file', new File([], '', { type: 'application/octet-stream' }), 'Must have a file.'],
    ['too large', pdf(`%PDF-${'x'.repeat(20_000)}`), 'is larger than 19 KiB'],
    ['of another type', pdf('x', 'text/html', 'a.html'), 'must be application/pdf or image/*'],
    ['that only says that it is a PDF', pdf('MZ'), 'must be application/pdf or image/*'],
    ['that only says that it is an image', pdf('MZ', 'image/png', 'a.png'), 'must be application/pdf or image/*'],
  ])('%s are refused at the field', async (_what, report, message) => {
    const form = await site.form({ inputs, steps });
    const { status, html } = await form.send({ report });
    expect([status, html.includes(message), await runsOf(form)]).toEqual([422, true, 0]);
  });

  test('all together have a limit', async () => {
    const form = await site.form({ inputs, steps });
    expect((await form.send({ report: pdf(`%PDF-${'x'.repeat(400_000)}`) })).status).toBe(413);
  });

  test('leave nothing behind when the start is refused', async () => {
    const form = await site.form({ inputs, steps, rest: { rate_limit: { limit: 1, period: '1h' } } });
    expect((await form.send({ report: pdf() })).status).toBe(303);
    const before = await site.t.call('files.usage', {}, { tenant_id: site.owner.tenant.id, role: 'service' });
    expect((await form.send({ report: pdf() })).status).toBe(429);
    expect(await site.t.call('files.usage', {}, { tenant_id: site.owner.tenant.id, role: 'service' })).toEqual(before);
  });
});
