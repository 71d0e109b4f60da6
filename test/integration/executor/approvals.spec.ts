import { createHash } from 'node:crypto';
import type { SignalDocument } from '../../../runtime/mongo/documents';
import type { Json, JsonObject } from '../../../lib/json';
import { join } from '../../support/team';
import { until } from '../../support/until';
import { openSite, send, type Site, type User } from './site';

let site: Site;
let ann: User;
let bob: User;
/** Members of ann's tenant. */
let carl: string;
let dora: string;

beforeAll(async () => {
  site = await openSite();
  [ann, bob] = [await site.user(), await site.user()];
  carl = (await join(site.t, ann.token, 'carl@example.com')).token;
  dora = (await join(site.t, ann.token, 'dora@example.com')).token;
});
afterAll(() => site?.close());

const approval = (id: string, config: JsonObject = {}): Json => ({
  id,
  type: 'approval',
  config: { message: 'Ship it?', ...config },
});
const asked = async (config: JsonObject, trigger: JsonObject = {}): Promise<string> => {
  const run = await ann.start(await ann.workflow([approval('ok', config)]), trigger);
  await ann.waiting(run);
  return run;
};
const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
const link = (run: string, query: string, token?: string, headers: Record<string, string> = {}) =>
  send(site.t, 'GET', `/api/v1/executions/${run}/approve/ok?${query}`, undefined, {
    ...headers,
    ...(token === undefined ? {} : bearer(token)),
  });
const signal = (run: string, token: string, data: JsonObject) =>
  send(site.t, 'POST', `/api/v1/executions/${run}/signal`, { signal: 'approve-ok', data }, bearer(token));
const list = async (token: string, query = ''): Promise<JsonObject[]> => {
  const { status, body } = await send(site.t, 'GET', `/api/v1/approvals${query}`, undefined, bearer(token));
  expect(status).toBe(200);
  return body.data as JsonObject[];
};

describe('an approval that names its approvers', () => {
  const named = { approvers: ['Carl@example.com'] };

  it('is not decided, nor shown, by its link alone', async () => {
    const run = await asked(named);
    for (const query of ['decision=approve', 'decision=reject'])
      expect(await link(run, query)).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
    const page = await link(run, 'decision=approve&confirm=1', undefined, { accept: 'text/html' });
    const text = String(page.body.text);
    expect([page.status, text.includes('Sign in'), text.includes('Ship it?')]).toEqual([401, true, false]);
    expect((await ann.get(run)).status).toBe('running');
    await ann.request('POST', `/api/v1/executions/${run}/cancel`);
  });

  it('is decided by its link together with the credential of one of them, who is on record', async () => {
    const run = await asked(named);
    expect(await link(run, 'decision=approve', dora)).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    expect(await link(run, 'decision=approve', bob.token)).toMatchObject({ status: 404 });
    expect((await link(run, 'decision=approve', 'nonsense')).status).toBe(401);
    expect(await link(run, 'decision=approve', carl)).toMatchObject({ status: 200, body: { approved: true } });
    expect((await ann.ended(run)).output).toMatchObject({ approved: true, decided_by: 'carl@example.com' });
  });

  it('is refused to members who are not named, owners too, by signal and in bulk', async () => {
    const run = await asked(named);
    for (const token of [dora, ann.token])
      expect(await signal(run, token, { approved: true })).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    const all = { query: `WorkflowId = '${run}'`, action: 'signal', signal: 'approve-ok', data: { approved: true } };
    const bulk = await send(site.t, 'POST', '/api/v1/executions/bulk', all, bearer(dora));
    expect(bulk.body).toMatchObject({ matched: 1, accepted: 0, refused: [{ execution_id: run, code: 'forbidden' }] });
    expect((await signal(run, carl, { approved: false })).status).toBe(202);
    expect((await ann.ended(run)).output).toMatchObject({ approved: false, decided_by: 'carl@example.com' });
  });

  it('fails when its approvers render to an empty list, which would let everybody decide', async () => {
    const workflow = await ann.workflow([approval('ok', { approvers: '{{ trigger.body.people }}' })]);
    const run = await ann.start(workflow, { body: { people: [] } });
    expect(await ann.ended(run)).toMatchObject({ status: 'failed', error: { code: 'invalid_input' } });
  });

  it('cannot be decided ahead by who starts the run and knows both ids', async () => {
    const steps = [{ id: 'first', type: 'wait_for_signal', config: { signal: 'go' } }, approval('ok', named)];
    const run = await ann.start(await ann.workflow(steps as Json[]), {});
    await ann.waiting(run);
    expect((await link(run, 'decision=approve')).status).toBe(401);
    await ann.request('POST', `/api/v1/executions/${run}/cancel`);
  });

  it('gives the links to those alone who may decide', async () => {
    const run = await asked(named);
    const rowOf = async (token: string) => (await list(token)).find((row) => row.execution_id === run);
    expect(await rowOf(dora)).toMatchObject({
      approvers: ['Carl@example.com'],
      mine: false,
      approve_url: null,
      reject_url: null,
    });
    expect(await rowOf(carl)).toMatchObject({ mine: true, approve_url: expect.stringContaining(`${run}/approve/ok`) });
    expect(await list(dora, '?mine=true')).toEqual([]);
    expect((await list(carl, '?mine=true')).map((row) => row.execution_id)).toEqual([run]);
    await ann.request('POST', `/api/v1/executions/${run}/cancel`);
  });
});

describe('an approval that is decided', () => {
  it('is not listed any more, even before its run has read the decision', async () => {
    const run = await asked({});
    const ids = async () => (await list(ann.token)).map((row) => row.execution_id);
    expect(await ids()).toContain(run);
    // Stored as a decision is, without the notice that makes the run read it.
    await site.t.app.db
      .collection<SignalDocument>('signals')
      .insertOne({ _id: `${run}:approve-ok`, name: 'approve-ok', data: '{"approved":true}', by: null, at: new Date() });
    expect(await ids()).not.toContain(run);
    await ann.request('POST', `/api/v1/executions/${run}/cancel`);
  });

  it('shows its question in the run while it waits', async () => {
    const run = await asked({ message: 'x'.repeat(3_000) });
    const { body } = await ann.request('GET', `/api/v1/executions/${run}`);
    expect(body.waiting).toEqual([expect.objectContaining({ kind: 'approval', message: `${'x'.repeat(1_999)}…` })]);
    await ann.request('POST', `/api/v1/executions/${run}/cancel`);
  });
});

describe('an approval with a form', () => {
  const form = { type: 'object', required: ['amount'], properties: { amount: { type: 'number', maximum: 100 } } };
  const place = (path: string) => ({ status: 400, body: { details: [{ path }] } });

  it('takes by signal only what fits it, and names the places', async () => {
    const run = await asked({ form });
    expect(await signal(run, ann.token, { approved: true, form: { amount: 500 } })).toMatchObject(
      place('data.form.amount'),
    );
    expect((await signal(run, ann.token, { approved: true })).status).toBe(400);
    expect((await signal(run, ann.token, { approved: false, form: { amount: 'x' } })).status).toBe(400);
    expect((await signal(run, ann.token, { approved: true, form: { amount: 7 } })).status).toBe(202);
    expect((await ann.ended(run)).output).toMatchObject({ approved: true, form: { amount: 7 } });
  });

  it('is checked by the link as well, and a rejection needs none', async () => {
    const run = await asked({ form });
    expect((await link(run, 'decision=approve')).status).toBe(400);
    const wrong = encodeURIComponent('{"amount":500}');
    expect(await link(run, `decision=approve&form=${wrong}`)).toMatchObject(place('form.amount'));
    expect((await link(run, 'decision=approve&form=%7B')).status).toBe(400);
    const right = encodeURIComponent('{"amount":5}');
    expect((await link(run, `decision=approve&form=${right}`)).status).toBe(200);
    expect((await ann.ended(run)).output).toMatchObject({ form: { amount: 5 } });
    const other = await asked({ form });
    expect((await link(other, 'decision=reject')).status).toBe(200);
    expect((await ann.ended(other)).output).toMatchObject({ approved: false, form: null });
  });

  it('is checked for a decision ahead of the question, which waits where expressions make the form', async () => {
    const early = async (given: JsonObject): Promise<string> => {
      const first = { id: 'first', type: 'wait_for_signal', config: { signal: 'go' } };
      const run = await ann.start(await ann.workflow([first, approval('ok', { form: given })] as Json[]), { max: 3 });
      await ann.waiting(run);
      return run;
    };
    const constant = await early(form);
    expect((await signal(constant, ann.token, { approved: true, form: { amount: 500 } })).status).toBe(400);
    expect((await signal(constant, ann.token, { approved: true, form: { amount: 1 } })).status).toBe(202);
    const made = await early({ type: 'object', properties: { amount: { maximum: '{{ trigger.max }}' } } });
    expect((await signal(made, ann.token, { approved: true, form: { amount: 5 } })).status).toBe(409);
    await ann.request('POST', `/api/v1/executions/${made}/signal`, { signal: 'go' });
    await until('the approval is asked', async () => (await ann.get(made)).waiting[0]?.step_id === 'ok');
    expect((await signal(made, ann.token, { approved: true, form: { amount: 5 } })).status).toBe(400);
    expect((await signal(made, ann.token, { approved: true, form: { amount: 2 } })).status).toBe(202);
    for (const run of [constant, made]) await ann.request('POST', `/api/v1/executions/${run}/cancel`);
  });

  it('that is no JSON Schema fails the step', async () => {
    const run = await ann.start(await ann.workflow([approval('ok', { form: { type: 'sorrow' } })]), {});
    expect(await ann.ended(run)).toMatchObject({ status: 'failed', error: { code: 'invalid_config' } });
  });
});

describe('the list of what waits', () => {
  let eve: User;
  const kinds = async (query = '') => (await list(eve.token, query)).map(({ kind, step_id }) => `${kind} ${step_id}`);

  beforeAll(async () => {
    eve = await site.user();
    const steps: Json[][] = [
      [approval('ask')],
      [{ id: 'signal', type: 'wait_for_signal', config: { signal: 'go' } }],
      [{ id: 'timer', type: 'wait', config: { for: '1h' } }],
      [{ id: 'each', type: 'foreach', config: { items: [1, 2, 3], concurrency: 3 }, steps: [approval('item')] }],
    ];
    for (const each of steps) await eve.waiting(await eve.start(await eve.workflow(each), {}));
    await until('all wait', async () => (await kinds()).length === 6);
  });

  it('has every step that waits, with its kind; a kind can be chosen', async () => {
    const items = ['approval item', 'approval item', 'approval item'];
    expect(await kinds()).toEqual(['approval ask', 'signal signal', 'timer timer', ...items]);
    expect(await kinds('?kind=all')).toEqual(await kinds());
    expect(await kinds('?kind=approval')).toEqual(['approval ask', ...items]);
    expect(await kinds('?kind=timer')).toEqual(['timer timer']);
    expect(await kinds('?mine=true')).toEqual(['approval ask', ...items]);
    expect(await kinds('?kind=signal&mine=true')).toEqual([]);
    const [row] = await list(eve.token, '?kind=signal');
    expect(row).toMatchObject({ signal: 'go', mine: false, approve_url: null, form: null, message: '', approvers: [] });
  });

  it('comes in pages, which go on within the waits of one run', async () => {
    const { body } = await eve.request('GET', '/api/v1/approvals?kind=approval&limit=2&offset=1');
    expect(body).toMatchObject({ limit: 2, offset: 1, data: [{ address: 'item.0' }, { address: 'item.1' }] });
    expect((await eve.request('GET', '/api/v1/approvals')).body).toMatchObject({ limit: 50, offset: 0 });
    expect((await list(eve.token, '?limit=200&offset=5')).map(({ address }) => address)).toEqual(['item.2']);
    expect(await list(eve.token, '?offset=6')).toEqual([]);
    for (const wrong of ['limit=0', 'limit=201', 'offset=-1', 'kind=retry', 'mine=perhaps'])
      expect((await eve.request('GET', `/api/v1/approvals?${wrong}`)).status).toBe(400);
  });

  it("has nothing of another tenant's", async () => {
    expect(await list(bob.token)).toEqual([]);
  });
});

describe('the page of an approval link', () => {
  const html = { accept: 'text/html' };
  const form = {
    type: 'object',
    required: ['reason'],
    properties: {
      reason: { type: 'string', title: 'Reason <why>' },
      amount: { type: 'integer' },
      way: { enum: ['bank', 'voucher'], description: 'How it is paid.' },
      urgent: { type: 'boolean' },
    },
  };
  const page = async (run: string, query: string) => {
    const { status, body, headers } = await link(run, query, undefined, html);
    return { status, text: String(body.text), headers };
  };

  it('asks for the form and a comment, and offers both decisions without a script', async () => {
    const run = await asked({ form });
    const { status, text, headers } = await page(run, 'decision=approve');
    expect(status).toBe(200);
    expect(text).toContain(
      '<label for="field-0">Reason &lt;why&gt;</label><input id="field-0" name="field.reason" required',
    );
    expect(text).toContain('type="number"');
    expect(text).toContain('<option value="1">voucher</option>');
    expect(text).toContain('name="comment"');
    expect(text).toMatch(
      /name="decision" value="reject" formnovalidate>.*name="decision" value="approve" class="primary"/,
    );
    expect(text).not.toContain('<script');
    const policy = headers.get('content-security-policy') ?? '';
    const style = /<style>([^]*)<\/style>/.exec(text)?.[1] ?? '';
    expect(policy).toContain(`style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`);
    expect(policy).not.toContain('unsafe');
  });

  it('decides with the typed values and the comment', async () => {
    const run = await asked({ form });
    const filled = 'field.reason=Damaged&field.amount=12&field.way=1&field.urgent=1&comment=Seen+by+me';
    expect((await page(run, `decision=approve&confirm=1&${filled}`)).text).toContain('<h1>Approved</h1>');
    await ann.ended(run);
    const [step] = await ann.steps(run);
    expect(step?.output).toMatchObject({
      approved: true,
      comment: 'Seen by me',
      form: { reason: 'Damaged', amount: 12, way: 'voucher', urgent: true },
    });
  });

  it('names what is wrong with the form and leads back to the question, and rejects without it', async () => {
    const run = await asked({ form });
    const refused = await page(run, 'decision=approve&confirm=1&field.reason=&field.amount=1');
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('<a href="?decision=approve">Back to the question</a>');
    const unreadable = await page(run, 'decision=approve&confirm=1&field.reason=x&field.amount=many');
    expect([unreadable.status, unreadable.text.includes('amount: must be a number')]).toEqual([400, true]);
    expect((await page(run, 'decision=reject&confirm=1&field.reason=&comment=No')).text).toContain('<h1>Rejected</h1>');
    await ann.ended(run);
    expect((await ann.steps(run))[0]?.output).toMatchObject({ approved: false, comment: 'No' });
  });

  it('takes a form of another shape as JSON', async () => {
    const run = await asked({ form: { type: 'array', items: { type: 'number' } } });
    expect((await page(run, 'decision=approve')).text).toContain('<textarea id="form" name="form"');
    expect((await page(run, 'decision=approve&confirm=1&form=[1,2]')).text).toContain('<h1>Approved</h1>');
    await ann.ended(run);
    expect((await ann.steps(run))[0]?.output).toMatchObject({ form: [1, 2] });
  });
});
