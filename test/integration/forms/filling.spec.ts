import type { JsonObject } from '../../../lib/json';
import { type FormSite, openFormSite } from './site';

let site: FormSite;

beforeAll(async () => {
  site = await openFormSite();
}, 60_000);
afterAll(() => site.close());

const INPUTS: JsonObject = {
  type: 'object',
  required: ['name', 'email', 'size'],
  additionalProperties: false,
  properties: {
    name: { type: 'string', title: 'Your name', minLength: 2 },
    email: { type: 'string', format: 'email', title: 'E-mail' },
    size: { title: 'Size', enum: ['S', 'M', 'L'] },
    people: { type: 'integer', title: 'People', minimum: 1, default: 1 },
    days: { type: 'array', title: 'Days', items: { enum: ['Mon', 'Tue'] }, minItems: 1 },
    on: { type: 'string', format: 'date', title: 'Date' },
    note: { type: 'string', maxLength: 2_000, title: 'Note', description: 'Anything <else>?' },
    news: { type: 'boolean', title: 'Newsletter' },
  },
};
const GOOD = { name: 'Ada', email: ' ada@example.com ', size: '1' };

describe('a form', () => {
  test('is a page of controls, and runs nothing', async () => {
    const { url } = await site.form({
      inputs: INPUTS,
      config: { title: 'Order <1>', description: 'All of it.', submit: 'Order' },
    });
    const { status, headers, html } = await site.get(url);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(html).not.toContain('<script');
    expect(html).toContain('<h1>Order &lt;1&gt;</h1>');
    expect(html).toContain('Anything &lt;else&gt;?');
    for (const part of [
      'type="email"',
      'type="date"',
      'type="number"',
      '<select',
      '<textarea',
      '<fieldset',
      'value="1" autocomplete="off"',
      '>Order</button>',
    ])
      expect(html).toContain(part);
    expect(html.match(/\(optional\)/g)).toHaveLength(4);
  });

  test('does not disclose the id of its workflow, which is the secret of a webhook', async () => {
    const { id, url } = await site.form({});
    expect(url).not.toContain(id);
    expect((await site.get(`${site.t.url}/forms/${id}`)).status).toBe(404);
    expect((await site.get(`${site.t.url}/forms/nothing`)).status).toBe(404);
  });

  test('starts a run with what was filled in', async () => {
    const form = await site.form({ inputs: INPUTS });
    const sent = await form.send({
      ...GOOD,
      people: '3',
      days: ['0', '1'],
      on: '2026-03-01',
      note: 'a\r\nb',
      news: '1',
    });
    expect(sent.status).toBe(303);
    const { id, status, output } = await site.run(String(sent.location));
    const values = {
      name: 'Ada',
      email: 'ada@example.com',
      size: 'M',
      people: 3,
      days: ['Mon', 'Tue'],
      on: '2026-03-01',
      note: 'a\nb',
      news: true,
    };
    expect([status, output]).toEqual(['completed', { given: values }]);
    const { body } = await site.api(`GET /api/v1/executions/${String(id)}`);
    expect(body).toMatchObject({ trigger_type: 'form', input: values, trigger: { name: 'Ada', body: values } });
    const page = await site.get(new URL(String(sent.location), site.t.url).href);
    expect([page.status, page.html.includes('Your answers were received.')]).toEqual([200, true]);
  });

  test.each<[string, Record<string, string | string[]>, string, string]>([
    ['a missing value', { ...GOOD, name: '' }, 'field-0', 'Must be filled in.'],
    ['a short text', { ...GOOD, name: 'A' }, 'field-0', 'Must have at least 2 characters.'],
    ['an address', { ...GOOD, email: 'ada' }, 'field-1', 'Must be an e-mail address.'],
    ['no choice', { ...GOOD, size: '' }, 'field-2', 'Must be chosen.'],
    ['a made-up choice', { ...GOOD, size: '9' }, 'field-2', 'Must be one of the choices.'],
    ['a number', { ...GOOD, people: 'x' }, 'field-3', 'Must be a number, such as 12.5.'],
    ['a small number', { ...GOOD, people: '0' }, 'field-3', 'Must be at least 1.'],
    ['a date', { ...GOOD, on: '2026-02-31' }, 'field-5', 'Must be a date (2026-03-01).'],
    ['a made-up day', { ...GOOD, days: ['0', '7'] }, 'field-4', 'Must be one of the choices.'],
  ])('shows what is wrong at the field: %s', async (_what, fields, id, message) => {
    const form = await site.form({ inputs: INPUTS });
    const { status, html } = await form.send(fields);
    expect(status).toBe(422);
    expect(html).toContain(`id="${id}-fault">${message}</p>`);
    expect(html).toContain(`<a href="#${id}">`);
    expect(html.match(/aria-invalid="true"/g)).toHaveLength(1);
    expect(html).toContain(`value="${fields.email as string}"`);
    expect((await site.api('GET /api/v1/executions?limit=1')).body.data).toEqual(
      expect.not.arrayContaining([expect.objectContaining({ workflow_def_id: form.id })]),
    );
  });

  test('of a workflow without inputs is a button', async () => {
    const form = await site.form({});
    const sent = await form.send({});
    expect(await site.run(String(sent.location))).toMatchObject({ status: 'completed', output: { given: {} } });
  });

  test('is closed while the workflow is disabled, and gone without a trigger', async () => {
    const form = await site.form({});
    await site.api(`PUT /api/v1/workflows/${form.id}/disable`);
    expect(await site.get(form.url)).toMatchObject({ status: 409, html: expect.stringContaining('takes no answers') });
    expect((await form.send({})).status).toBe(409);
    const dsl = { id: 'flow', trigger: { type: 'manual' }, steps: [{ id: 'a', type: 'set', config: {} }] };
    await site.api(`PUT /api/v1/workflows/${form.id}`, { dsl });
    expect((await site.get(form.url)).status).toBe(404);
  });

  test('does not disclose the names of secrets that are missing', async () => {
    const form = await site.form({ steps: [{ id: 'a', type: 'set', config: { a: '{{ secret.NOT_THERE }}' } }] });
    const { status, html } = await form.send({});
    expect(status).toBeGreaterThanOrEqual(400);
    expect(html).not.toContain('NOT_THERE');
  });
});

describe('after a form', () => {
  test('a text may name outputs of the run', async () => {
    const form = await site.form({
      steps: [{ id: 'a', type: 'set', config: { ticket: 'T-7', list: [{ n: 1 }], tag: '<b>' } }],
      config: { confirmation: 'Ticket {{ output.ticket }}, {{ output.list[0].n }}{{ output.nothing }} {{output.tag}}' },
    });
    const { location } = await form.send({});
    const { html } = await site.get(new URL(String(location), site.t.url).href);
    expect(html).toContain('Ticket T-7, 1 &lt;b&gt;');
  });

  test('a page waits for the outputs, and says when the run failed', async () => {
    const waiting = { id: 'w', type: 'wait', config: { for: '1h' } };
    const slow = await site.form({ steps: [waiting], config: { confirmation: '{{ output.a }}' } });
    const plain = await site.form({ steps: [waiting] });
    const failing = await site.form({
      steps: [{ id: 'f', type: 'fail', config: { message: 'secret reason' } }],
      config: { confirmation: '{{ output.a }}' },
    });
    const after = async (form: typeof slow) =>
      (await site.get(new URL(String((await form.send({})).location), site.t.url).href)).html;
    expect(await after(slow)).toContain('http-equiv="refresh" content="2;url=?n=1"');
    expect(await after(plain)).toContain('Your answers were received.');
    const failed = await after(failing);
    expect(failed).toContain('could not be processed');
    expect(failed).not.toContain('secret reason');
  }, 30_000);

  test('a browser goes where the workflow says', async () => {
    const redirect = 'https://example.com/thanks?a=1';
    const form = await site.form({ config: { redirect } });
    expect(await form.send({})).toMatchObject({ status: 303, location: redirect });
    expect((await site.get(form.url)).headers.get('content-security-policy')).toContain(
      "form-action 'self' https://example.com;",
    );
  });

  test.each(['http://example.com', 'javascript:alert(1)', 'https://a:b@example.com', '//example.com', 'nowhere'])(
    'but not to %s',
    async (redirect) => {
      await expect(site.form({ config: { redirect } })).rejects.toThrow(/must be an https address/);
    },
  );

  test.each(['{{ steps.a.b }}', '{{ output | upper }}', '{{ output.a + 1 }}', '{{ outputs }}'])(
    '%s is no output',
    async (confirmation) => {
      await expect(site.form({ config: { confirmation } })).rejects.toThrow(/is no output/);
    },
  );

  test('the page has an address that cannot be guessed', async () => {
    const form = await site.form({});
    const other = await site.form({});
    const { location } = await form.send({});
    const [execution] = String(location).split('/').at(-1)?.split('_') ?? [];
    for (const path of [
      `${form.url}/runs/${String(execution)}`,
      `${form.url}/runs/${String(execution)}_${String(execution)}`,
      `${other.url}/runs/${String(location).split('/').at(-1)}`,
    ])
      expect((await site.get(path)).status).toBe(404);
  });
});
