import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json, JsonObject } from '../../../lib/json';
import { pageToken } from '../../../services/api-gateway/forms/tokens';
import { until } from '../../support/until';
import { registerTenant } from '../../support/accounts';
import { ask } from '../../support/http';
import { type FormSite, openFormSite } from './site';

let site: FormSite;

beforeAll(async () => {
  site = await openFormSite({ EGRESS_ALLOW: '127.0.0.1' });
}, 60_000);
afterAll(() => site.close());

const FIELDS: JsonObject = {
  type: 'object',
  required: ['street'],
  properties: { street: { type: 'string', title: 'Street', minLength: 3 } },
};
const page = (id: string, config: JsonObject = {}): JsonObject => ({
  id,
  type: 'wait_for_form',
  config: { title: `Page ${id}`, fields: FIELDS, ...config },
});
const echo = (step: string): Json => ({ id: 'echo', type: 'set', config: { given: `{{ steps.${step} }}` } });

interface Wait {
  readonly kind: string;
  readonly name: string;
  readonly form_url: string | null;
}

const waitsOf = async (id: string, token = site.owner.token): Promise<Wait[]> => {
  const { body } = await ask(site.t, `GET /api/v1/executions/${id}`, { token });
  return (body.waiting as Wait[]).filter(({ kind }) => kind === 'form');
};
const linkOf = (id: string, question: string): Promise<string> =>
  until(`the run waits for ${question}`, async () => {
    const wait = (await waitsOf(id)).find(({ name }) => name === question);
    return wait?.form_url;
  });
const here = (location: string | null): string => new URL(String(location), site.t.url).href;

/** Sends a page that was opened some seconds ago. */
async function send(url: string, subject: string, fields: Record<string, string | File>, others: JsonObject = {}) {
  const { keys, clock } = site.t.app;
  const sent = new FormData();
  sent.set('page', pageToken(keys.ids, subject, clock.now() - 5_000));
  for (const [name, value] of Object.entries(fields)) sent.set(`field.${name}`, value);
  for (const [name, value] of Object.entries(others)) sent.set(name, String(value));
  const response = await fetch(url, { method: 'POST', body: sent, redirect: 'manual' });
  return { status: response.status, location: response.headers.get('location'), html: await response.text() };
}

async function manualRun(steps: Json[]): Promise<string> {
  const dsl = { id: 'flow', trigger: { type: 'manual' }, steps };
  const { body } = await site.api('POST /api/v1/workflows', { name: 'Flow', dsl });
  const { body: run } = await site.api(`POST /api/v1/workflows/${String(body.id)}/trigger`, {});
  return String(run.id);
}
const ended = (id: string) => site.run(`/runs/${id}_`);

describe('the pages of a form', () => {
  test('follow each other at one address, and the confirmation follows the last one', async () => {
    const form = await site.form({
      steps: [page('one'), page('two', { title: 'For {{ steps.one.street }}', submit: 'Finish' }), echo('two')],
      config: { confirmation: 'Sent to {{ output.given.street }}' },
    });
    const first = await form.send({});
    const run = /\/runs\/([\w-]+)_/.exec(String(first.location))?.[1] as string;
    const address = here(first.location);
    const one = await site.get(address);
    expect([one.status, one.html.includes('<h1>Page one</h1>'), one.html.includes('>Continue</button>')]).toEqual([
      200,
      true,
      true,
    ]);
    const wrong = await send(address, `${run}:one`, { street: 'A' });
    expect([wrong.status, wrong.html.includes('at least 3 characters'), wrong.html.includes('value="A"')]).toEqual([
      422,
      true,
      true,
    ]);
    const sent = await send(address, `${run}:one`, { street: 'High Street' });
    expect([sent.status, here(sent.location)]).toEqual([303, address]);
    const two = await site.get(address);
    expect(two.html).toContain('<h1>For High Street</h1>');
    expect(two.html).toContain('>Finish</button>');
    expect((await send(address, `${run}:two`, { street: 'Low Street' })).status).toBe(303);
    expect(await ended(run)).toMatchObject({ status: 'completed', output: { given: { street: 'Low Street' } } });
    expect((await site.get(address)).html).toContain('Sent to Low Street');
  });

  test('a page that is sent twice leads to the one that follows', async () => {
    const form = await site.form({ steps: [page('one'), page('two')] });
    const address = here((await form.send({})).location);
    const run = /\/runs\/([\w-]+)_/.exec(address)?.[1] as string;
    await site.get(address);
    await send(address, `${run}:one`, { street: 'High Street' });
    await linkOf(run, 'two');
    expect(await send(address, `${run}:one`, { street: 'Another' })).toMatchObject({ status: 303 });
    expect((await site.get(address)).html).toContain('<h1>Page two</h1>');
  });

  test('a page for another person is not shown, and the redirect waits for the last page', async () => {
    const form = await site.form({
      steps: [page('one'), page('review', { access: 'link' })],
      config: { redirect: 'https://example.com/done' },
    });
    const first = await form.send({});
    expect(first.location).toContain('/runs/');
    const run = /\/runs\/([\w-]+)_/.exec(String(first.location))?.[1] as string;
    const address = here(first.location);
    expect((await site.get(address)).html).toContain('Page one');
    await send(address, `${run}:one`, { street: 'High Street' });
    await linkOf(run, 'review');
    const { html } = await site.get(address);
    expect(html).toContain('https://example.com/done');
    expect(html).not.toContain('Page review');
  });

  test('the page looks again by itself, and not without end', async () => {
    const form = await site.form({ steps: [{ id: 'w', type: 'wait', config: { for: '1h' } }, page('one')] });
    const address = here((await form.send({})).location);
    expect((await site.get(address)).html).toContain('http-equiv="refresh" content="2;url=?n=1"');
    expect((await site.get(`${address}?n=60`)).html).not.toContain('http-equiv="refresh"');
  }, 30_000);
});

describe('a step that waits for a form', () => {
  test('has a link in runs of any trigger, for one answer', async () => {
    const run = await manualRun([page('ask'), echo('ask')]);
    const url = await linkOf(run, 'ask');
    const { body } = await site.api('GET /api/v1/approvals?kind=form');
    expect(body.data).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ execution_id: run, kind: 'form', form_url: url, form: FIELDS, message: 'Page ask' }),
      ]),
    );
    expect((await site.get(url)).html).toContain('<h1>Page ask</h1>');
    const both = await Promise.all(['Here', 'There'].map((street) => send(url, `${run}:ask`, { street })));
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, expect.any(Number)]);
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect((await site.get(url)).status).toBe(410);
    expect((await send(url, `${run}:ask`, { street: 'Again' })).status).toBe(410);
    const next = both.find(({ status }) => status === 303)?.location ?? null;
    expect((await site.get(here(next))).html).toContain('Your answers were received.');
  });

  test('is shown to the holder of its link alone where it says so', async () => {
    const run = await manualRun([page('ask', { access: 'link' })]);
    const url = await linkOf(run, 'ask');
    const sent = await send(url, `${run}:ask`, { street: 'High Street' });
    expect((await site.get(here(sent.location))).html).toContain('Your answers were received.');
    expect((await site.get(url)).status).toBe(410);
  });

  test('has a link that its workflow can send, also before it asks', async () => {
    const steps: Json[] = [
      { id: 'link', type: 'set', config: { url: '{{ form_link("ask") }}' } },
      { id: 'go', type: 'wait_for_signal', config: { signal: 'go' } },
      page('ask'),
    ];
    const run = await manualRun(steps);
    const link = await until('the step has the link', async () => {
      const { body } = await site.api(`GET /api/v1/executions/${run}/detail`);
      return (body.steps as { output: { url: string } | null }[])[0]?.output?.url;
    });
    const url = here(new URL(link).pathname);
    expect((await site.get(url)).status).toBe(404);
    await site.api(`POST /api/v1/executions/${run}/signal`, { signal: 'go' });
    await linkOf(run, 'ask');
    expect((await site.get(url)).html).toContain('Page ask');
  });

  test('takes no values by a signal, which has no check', async () => {
    const run = await manualRun([page('ask')]);
    await linkOf(run, 'ask');
    for (const signal of ['$form:ask', 'form:ask', 'approve-ask'])
      await site.api(`POST /api/v1/executions/${run}/signal`, { signal, data: { approved: true } });
    await linkOf(run, 'ask');
    expect((await site.api(`GET /api/v1/executions/${run}`)).body.status).toBe('running');
  });

  test('in a loop has a link for each item', async () => {
    const loop = {
      id: 'each',
      type: 'foreach',
      config: { items: [1, 2], concurrency: 2 },
      steps: [page('ask', { title: 'Item {{ loop.item }}' })],
    };
    const run = await manualRun([loop]);
    const [first, second] = [await linkOf(run, 'ask.0'), await linkOf(run, 'ask.1')];
    expect((await site.get(second)).html).toContain('<h1>Item 2</h1>');
    await send(second, `${run}:ask.1`, { street: 'Second' });
    await send(first, `${run}:ask.0`, { street: 'First' });
    expect(await ended(run)).toMatchObject({
      status: 'completed',
      output: { results: [{ street: 'First' }, { street: 'Second' }] },
    });
  });

  test('is open while its run works on something else', async () => {
    // A failure of this test leaves it open; it keeps no process alive.
    const server = createServer().unref();
    const called = once(server, 'request');
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const slow: Json = { id: 'slow', type: 'http_request', config: { url: address } };
    const steps: Json[] = [
      { id: 'link', type: 'set', config: { url: '{{ form_link("ask") }}' } },
      {
        id: 'both',
        type: 'parallel',
        branches: [
          { id: 'one', steps: [page('ask')] },
          { id: 'two', steps: [slow] },
        ],
      },
    ];
    const run = await manualRun(steps);
    const link = await until('the step has the link', async () => {
      const { body } = await site.api(`GET /api/v1/executions/${run}/detail`);
      return (body.steps as { output: { url: string } | null }[])[0]?.output?.url;
    });
    const url = here(new URL(link).pathname);
    await until('the form is open', async () => (await site.get(url)).status === 200);
    const [, response] = (await called) as [IncomingMessage, ServerResponse];
    await until('the run shows that it waits', async () => (await waitsOf(run)).length === 1);
    expect((await send(url, `${run}:ask`, { street: 'High Street' })).status).toBe(303);
    response.end();
    server.close();
    expect(await ended(run)).toMatchObject({ status: 'completed' });
  });

  test('ends by its time-out', async () => {
    const run = await manualRun([page('ask', { timeout: '1s', on_timeout: 'continue' }), echo('ask')]);
    expect(await ended(run)).toMatchObject({ status: 'completed', output: { given: { timed_out: true } } });
    const failing = await manualRun([page('ask', { timeout: '1s' })]);
    expect(await ended(failing)).toMatchObject({ status: 'failed', error: { code: 'timed_out', step_id: 'ask' } });
  });

  test('is closed when its run is cancelled', async () => {
    const run = await manualRun([page('ask')]);
    const url = await linkOf(run, 'ask');
    await site.api(`POST /api/v1/executions/${run}/cancel`);
    expect((await site.get(url)).status).toBe(410);
    expect((await send(url, `${run}:ask`, { street: 'High Street' })).status).toBe(410);
  });

  test('keeps programs out as other forms do', async () => {
    const run = await manualRun([page('ask')]);
    const url = await linkOf(run, 'ask');
    const trapped = await send(url, `${run}:ask`, { street: 'High Street' }, { contact_me_by_fax: 'x' });
    expect([trapped.status, trapped.html.includes('people do not see')]).toEqual([422, true]);
    const foreign = await send(url, `${run}:other`, { street: 'High Street' });
    expect([foreign.status, foreign.html.includes('value="High Street"')]).toEqual([422, true]);
    const statuses: number[] = [];
    for (let n = 0; n < 22; n++) statuses.push((await send(url, 'x', { street: 'High Street' })).status);
    expect(statuses).toContain(429);
    expect(await waitsOf(run)).toHaveLength(1);
  });

  test('takes files into the workspace of the run', async () => {
    const fields = {
      required: ['report'],
      properties: { report: { type: 'object', format: 'file', contentMediaType: 'application/pdf', title: 'Report' } },
    };
    const read = { id: 'read', type: 'file_read', config: { path: '{{ steps.ask.report.path }}', response: 'text' } };
    const run = await manualRun([page('ask', { fields }), read]);
    const url = await linkOf(run, 'ask');
    const wrong = await send(url, `${run}:ask`, { report: new File(['MZ'], 'a.exe', { type: 'application/pdf' }) });
    expect(wrong.status).toBe(422);
    const report = new File(['%PDF-1.7 x'], 'a.pdf', { type: 'application/pdf' });
    expect((await send(url, `${run}:ask`, { report })).status).toBe(303);
    expect(await ended(run)).toMatchObject({ status: 'completed', output: { content: '%PDF-1.7 x' } });
  });

  test('takes answers up to a size', async () => {
    const run = await manualRun([page('ask', { fields: { properties: { text: { type: 'string' } } } })]);
    const url = await linkOf(run, 'ask');
    expect((await send(url, `${run}:ask`, { text: 'x'.repeat(300_000) })).status).toBe(413);
    expect((await send(url, `${run}:ask`, { text: 'x'.repeat(200_000) })).status).toBe(303);
  });

  test('is open to no key that was made up, and viewers see no link', async () => {
    const run = await manualRun([page('ask')]);
    const url = await linkOf(run, 'ask');
    const [execution, name, mac] = String(url.split('/').at(-1)).split('_');
    for (const key of [`${execution}_other_${mac}`, `${execution}_${name}_${execution}`, `${execution}__${mac}`, 'x'])
      expect((await site.get(`${site.t.url}/forms/steps/${key}`)).status).toBe(404);
    expect((await site.get(`${site.t.url}/forms/runs/${execution}_${mac}`)).status).toBe(404);
    const other = await registerTenant(site.t);
    expect((await ask(site.t, `GET /api/v1/executions/${run}`, { token: other.token })).status).toBe(404);
    const { body } = await site.api('POST /api/v1/api-keys', { name: 'reader', scope: 'read' });
    expect(await waitsOf(run, String(body.key))).toMatchObject([{ name: 'ask', form_url: null }]);
  });

  test('is on record when it was filled in, without its values', async () => {
    const run = await manualRun([page('ask')]);
    await send(await linkOf(run, 'ask'), `${run}:ask`, { street: 'Secret Street' });
    const { body } = await site.api(`GET /api/v1/audit?target=${run}&action=execution.form`);
    expect(body.data).toMatchObject([{ actor: { type: 'anonymous' }, after: { form: 'ask' } }]);
    expect(JSON.stringify(body.data)).not.toContain('Secret Street');
  });

  test.each<[JsonObject, string]>([
    [{ type: 'string' }, 'properties'],
    [{ properties: { a: { type: 'nothing' } } }, 'JSON Schema'],
  ])('is not saved with fields that are no page: %j', async (fields, message) => {
    const dsl = { id: 'flow', trigger: { type: 'manual' }, steps: [page('ask', { fields })] };
    const { status, body } = await site.api('POST /api/v1/workflows', { name: 'Flow', dsl });
    expect([status, JSON.stringify(body).includes(message)]).toEqual([400, true]);
  });
});

describe('a form that is answered by a signal', () => {
  const signal = (id: string, name: string, data: JsonObject) =>
    site.api(`POST /api/v1/executions/${id}/signal`, { signal: name, data });

  test('takes values that fit its fields, once', async () => {
    const id = await manualRun([page('one'), page('two'), echo('one')]);
    await linkOf(id, 'one');
    expect(await signal(id, 'form-one', { street: 'A' })).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', details: [{ path: 'data.street' }] },
    });
    const sent = { street: 'High Street' };
    const { status, body } = await signal(id, 'form-one', sent);
    expect([status, body]).toEqual([202, { accepted: true, execution_id: id, signal: 'form-one' }]);
    await linkOf(id, 'two');
    expect((await signal(id, 'form-one', sent)).status).toBe(202);
    expect((await signal(id, 'form-one', { street: 'Another' })).status).toBe(409);
    await signal(id, 'form-two', sent);
    expect(await ended(id)).toMatchObject({ status: 'completed', output: { given: sent } });
    const { body: log } = await site.api('GET /api/v1/audit?action=execution.form&limit=5');
    expect((log.data as { target: { id: string } }[]).filter(({ target }) => target.id === id).length).toBe(2);
  });

  test('is refused before its step asks; other signals may have such a name', async () => {
    const id = await manualRun([
      page('one'),
      { id: 'x', type: 'wait_for_signal', config: { signal: 'form-x' } },
      page('two'),
    ]);
    await linkOf(id, 'one');
    expect((await signal(id, 'form-two', { street: 'High Street' })).status).toBe(409);
    expect((await signal(id, 'form-x', {})).body).toEqual({ accepted: true, execution_id: id, signal: 'form-x' });
    await site.api(`POST /api/v1/executions/${id}/cancel`, {});
  });
});
