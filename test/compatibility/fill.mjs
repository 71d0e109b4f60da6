// Fills a server with one of everything that a later version must go on with, and prints what a test needs to know of it as JSON.
//   node test/compatibility/fill.mjs http://127.0.0.1:3000
// The data folder in `0.1.0.tar.gz` was made by this script against version 0.1.0, which was then killed with SIGKILL, packed as
// `data` together with `backup`, the result of `npm run backup` a moment before.
const url = process.argv[2];
let token = '';

async function call(method, path, body) {
  const request = { method, headers: { authorization: `Bearer ${token}` } };
  if (body !== undefined) {
    request.headers['content-type'] = 'application/json';
    request.body = JSON.stringify(body);
  }
  const response = await fetch(url + path, request);
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}

async function until(what, holds) {
  for (let n = 0; n < 200; n++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`Not within ten seconds: ${what}`);
}

const set = (id, config) => ({ id, type: 'set', config });
const create = async (name, trigger, ...steps) =>
  (await call('POST', '/api/v1/workflows', { name, dsl: { id: name, trigger, steps } })).id;
const manual = { type: 'manual' };
const start = async (id, input = {}) => (await call('POST', `/api/v1/workflows/${id}/trigger`, input)).id;

const login = { tenant_slug: 'acme', email: 'owner@acme.example', password: 'a-long-password' };
token = (await call('POST', '/api/v1/auth/register', { ...login, tenant_name: 'Acme' })).token;
await call('POST', '/api/v1/secrets', { name: 'WORD', value: 'sesame-street' });
await call('PUT', '/api/v1/variables/REGION', { value: 'north' });
const apiKey = await call('POST', '/api/v1/api-keys', { name: 'reports' });

const hook = await create(
  'intake',
  { type: 'http', config: {} },
  set('order', { n: '{{ trigger.body.n }}', region: '{{ vars.REGION }}' }),
  {
    id: 'answer',
    type: 'webhook_response',
    config: { status: 201, body: { twice: '{{ steps.order.n * 2 }}', region: '{{ steps.order.region }}' } },
  },
);
const workflowKey = await call('POST', `/api/v1/workflows/${hook}/api-keys`, { name: 'shop' });

const asks = await create(
  'asks',
  manual,
  {
    id: 'each',
    type: 'foreach',
    config: { items: '{{ trigger.list }}' },
    steps: [set('long', { text: '{{ trigger.text }}', n: '{{ loop.item }}' })],
  },
  set('before', { word: 'kept' }),
  { id: 'ask', type: 'approval', config: { message: 'Go on?' } },
  set('after', { word: '{{ steps.before.word }}', secret_length: '{{ length(secret.WORD) }}' }),
);
const naps = await create('naps', manual, { id: 'nap', type: 'wait', config: { for: '10s' } }, set('up', { ok: true }));
const listens = await create(
  'listens',
  manual,
  { id: 'news', type: 'wait_for_signal', config: { signal: 'news' } },
  set('heard', { it: '{{ steps.news }}' }),
);
await create(
  'yearly',
  { type: 'schedule', config: { cron: '0 0 1 1 *', timezone: 'Europe/Berlin' } },
  set('tick', { ok: true }),
);

const runs = {
  asks: await start(asks, { list: [...Array(30).keys()], text: 'x'.repeat(9_000) }),
  listens: await start(listens),
};
const waits = async (id) => ((await call('GET', `/api/v1/executions/${id}`)).waiting ?? []).length > 0;
await until('two runs wait', async () => (await waits(runs.asks)) && (await waits(runs.listens)));

const base = (await call('POST', '/api/v1/knowledge-bases', { name: 'Handbook' })).id;
const text =
  'Refunds: money goes back within 14 days.\n\nHolidays: everybody has 28 days off in a year.\n\nParking: cars stand behind the house.';
const document = (await call('POST', `/api/v1/knowledge-bases/${base}/documents`, { name: 'Rules', text })).id;
await until(
  'the document is ready',
  async () => (await call('GET', `/api/v1/knowledge-bases/${base}/documents/${document}`)).status === 'ready',
);

const skill = (
  await call('POST', '/api/v1/skills', {
    name: 'invoice-check',
    description: 'Checks invoices',
    instructions: '# Checks\nAdd the lines.',
    files: [{ path: 'rates.csv', content: 'vat,19\n' }],
  })
).id;

runs.naps = await start(naps);
console.log(
  JSON.stringify(
    { login, apiKey: apiKey.key, workflowKey: workflowKey.key, hook, asks, runs, base, document, skill },
    null,
    2,
  ),
);
