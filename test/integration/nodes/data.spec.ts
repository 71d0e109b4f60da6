import { createHmac } from 'node:crypto';
import type { Json } from '../../../lib/json';
import { openSite, type Site, type User } from '../executor/site';

let site: Site;
let ann: User;
beforeAll(async () => {
  site = await openSite();
  ann = await site.user();
});
afterAll(() => site?.close());

const KEY = 'a-signing-key-of-ann';
const step = (id: string, type: string, config: Json): Json => ({ id, type, config });

/** An export of orders on its way to a report, one step of each kind on the way. */
const REPORT: Json[] = [
  step('signed', 'crypto', {
    operation: 'verify_hmac',
    data: '{{ trigger.body.csv }}',
    key: '{{ secret.SIGNING_KEY }}',
    signature: '{{ trigger.body.signature }}',
  }),
  step('table', 'csv', { operation: 'parse', text: '{{ trigger.body.csv }}', numbers: ['total'] }),
  step('once', 'dedupe', { items: '{{ steps.table.rows }}', by: ['order'] }),
  step('large', 'filter', {
    items: '{{ steps.once.items }}',
    conditions: [{ field: 'total', operator: 'greater_or_equal', value: '{{ trigger.body.least }}' }],
  }),
  step('ordered', 'sort', { items: '{{ steps.large.items }}', by: [{ field: 'total', direction: 'desc' }] }),
  step('sums', 'aggregate', {
    items: '{{ steps.ordered.items }}',
    group_by: ['country'],
    operations: [{ name: 'turnover', operation: 'sum', field: 'total' }],
  }),
  step('due', 'datetime', {
    operation: 'add',
    value: '2030-03-30T12:00:00',
    amount: 1,
    unit: 'days',
    timezone: 'Europe/Berlin',
    format: 'dd.MM.yyyy HH:mm Z',
  }),
  step('text', 'template', {
    template:
      '# Orders\n\n<%# groups %>\n- **<% key.country %>**: <% values.turnover %>\n<%/ groups %>\n\nDue <% due %>\n',
    data: { groups: '{{ steps.sums.groups }}', due: '{{ steps.due.text }}' },
    escape: 'none',
  }),
  step('page', 'markdown', { operation: 'to_html', text: '{{ steps.text.text }}' }),
  step('read', 'html_extract', {
    html: '{{ steps.page.html }}',
    selectors: { title: { selector: 'h1' }, countries: { selector: 'li strong', all: true } },
  }),
  step('feed', 'xml', {
    operation: 'build',
    value: { report: { '@title': '{{ steps.read.title }}' } },
    declaration: false,
  }),
  step('all', 'json', { operation: 'stringify', value: { feed: '{{ steps.feed.text }}', read: '{{ steps.read }}' } }),
];

const CSV = 'order,country,total\n1,DE,10\n2,FR,30\n1,DE,10\n3,DE,20.5\n4,FR,1\n';

test('data goes from step to step, and a secret key into none of their records', async () => {
  await ann.request('POST', '/api/v1/secrets', { name: 'SIGNING_KEY', value: KEY });
  const id = await ann.workflow(REPORT);
  const signature = createHmac('sha256', KEY).update(CSV).digest('hex');
  const run = await ann.run(id, { body: { csv: CSV, signature, least: 5 } });
  expect(run).toMatchObject({ status: 'completed' });
  expect(JSON.parse((run.output as { text: string }).text)).toEqual({
    feed: '<report title="Orders"/>',
    read: { title: 'Orders', countries: ['FR', 'DE'] },
  });
  const steps = await ann.steps(run.id);
  const outputs = Object.fromEntries(steps.map(({ step_id, output }) => [step_id, output]));
  expect(outputs.signed).toEqual({ valid: true });
  expect(outputs.text).toEqual({ text: '# Orders\n\n- **FR**: 30\n- **DE**: 30.5\n\nDue 31.03.2030 12:00 +02:00\n' });
  expect(JSON.stringify(steps)).not.toContain(KEY);
});

test('what a step cannot compute is its error, and is not tried again', async () => {
  const id = await ann.workflow([
    { id: 'bad', type: 'xml', config: { operation: 'parse', text: '{{ trigger.body }}' }, retry: { max_attempts: 3 } },
  ]);
  const run = await ann.run(id, { body: '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>' });
  expect(run).toMatchObject({ status: 'failed', error: { step_id: 'bad', code: 'invalid_xml' } });
  expect(await ann.steps(run.id)).toMatchObject([{ attempt: 1 }]);
});

test('selectors, templates and what an operation needs are checked when a workflow is saved', async () => {
  const steps = [
    step('a', 'html_extract', { html: '{{ trigger.body }}', selectors: { x: { selector: 'li[' } } }),
    step('b', 'template', { template: '<%#open%>' }),
    step('c', 'json', { operation: 'parse' }),
  ];
  const dsl = { id: 'flow', trigger: { type: 'http' }, steps };
  const { status, body } = await ann.request('POST', '/api/v1/workflows', { name: 'Flow', dsl });
  expect(status).toBe(400);
  const paths = (body.details as { path: string }[]).map(({ path }) => path);
  expect(paths).toEqual(['steps[0].config.selectors.x.selector', 'steps[1].config.template', 'steps[2].config.text']);
});
