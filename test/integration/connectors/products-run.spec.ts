import { join } from 'node:path';
import type { Json, JsonObject } from '../../../lib/json';
import type { CaseAnswer, ConnectorCase } from '../../nodes/connectors/connector-case';
import type { Connector } from '../../../nodes/connectors/contract';
import { products } from '../../../nodes/connectors/products';
import { auditService } from '../../../services/audit/audit.service';
import { connectionsService } from '../../../services/connections/connections.service';
import { startApp, type TestApp } from '../../support/app';
import { type Provider, type SeenRequest, startProvider } from '../../support/connectors/provider';
import { type Ask, executor, frontServices, newTenant, run, workflowOf } from '../custom-nodes/house';

/** What the provider says to its nth request (from 1). */
type Answers = (n: number, request: SeenRequest) => CaseAnswer;

const casesOf = ({ name }: Pick<Connector, 'name'>): readonly ConnectorCase[] =>
  (require(join(__dirname, '../../nodes/connectors', `${name}.cases.ts`)) as { cases: ConnectorCase[] }).cases;

const credentialsOf = (name: string): Readonly<Record<string, string>> =>
  casesOf({ name }).find(({ credentials }) => credentials !== undefined)?.credentials ?? {};

let t: TestApp;
let provider: Provider;
let ann: Ask;
let answers: Answers = () => ({ status: 500, text: 'nothing is asked now' });
let asked: { readonly at: number; readonly request: SeenRequest }[] = [];

const answering = (next: Answers): void => {
  asked = [];
  answers = next;
};

beforeAll(async () => {
  provider = await startProvider((request) => {
    asked.push({ at: performance.now(), request });
    return answers(asked.length, request);
  });
  const urls = products.map(({ name }): [string, string] => [
    `CONNECTOR_${name.toUpperCase().replaceAll('-', '_')}_URL`,
    `${provider.url}/${name}`,
  ]);
  t = await startApp({
    services: [...frontServices, executor, auditService, connectionsService],
    env: { EGRESS_ALLOW: '127.0.0.1', ...Object.fromEntries(urls) },
  });
  ({ owner: ann } = await newTenant(t));
});
afterAll(async () => {
  await t?.close();
  await provider?.close();
});

const connect = (connector: string, name: string): ReturnType<Ask> =>
  ann('POST', '/api/v1/connections', { connector, name, credentials: { ...credentialsOf(connector) } });

describe('credentials are tried before they are kept', () => {
  const probed = products.flatMap((connector) => {
    const { connectionTest: probe, name } = connector;
    const ofProbe = casesOf(connector).filter(({ action }) => action === probe?.action);
    const refused = ofProbe.find(
      ({ outcome, answers: [first] }) => outcome.kind === 'fail' && [401, 403, 404].includes(first?.status ?? 0),
    );
    const taken = ofProbe.find(({ outcome }) => outcome.kind === 'done');
    return probe === undefined ? [] : [{ name, refused, taken }];
  });

  test('by nearly all connectors', () => {
    expect(products.length - probed.length).toBeLessThanOrEqual(1);
    expect(probed.filter(({ refused, taken }) => refused === undefined || taken === undefined)).toEqual([]);
  });

  test.each(probed)('$name: wrong ones are refused in the words of the provider', async ({ name, refused }) => {
    answering(() => refused?.answers[0] ?? {});
    const { status, body } = await connect(name, `wrong ${name}`);
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    const words = refused?.outcome.kind === 'fail' ? refused.outcome.error.message : '';
    expect(body.error).toContain(words);
    for (const secret of Object.values(refused?.credentials ?? {}).filter((text) => text.length > 8)) {
      if (!/^https?:|@/.test(secret)) expect(JSON.stringify(body)).not.toContain(secret);
    }
    expect(asked).toHaveLength(1);
  });

  test.each(probed)('$name: right ones are kept', async ({ name, taken }) => {
    answering((n) => taken?.answers[n - 1] ?? { status: 500 });
    const { status, body } = await connect(name, `right ${name}`);
    expect([status, body.status, body.last_error]).toEqual([201, 'active', null]);
    expect(asked).toHaveLength(1);
  });
});

describe('a limit is waited for as long as the provider says', () => {
  const now = (): { date: string; inOneSecond: number } => {
    const seconds = Math.floor(Date.now() / 1_000);
    return { date: new Date(seconds * 1_000).toUTCString(), inOneSecond: seconds + 1 };
  };
  const until = (header: string, status: number, json: Json, further: Record<string, string> = {}): CaseAnswer => {
    const { date, inOneSecond } = now();
    return { status, headers: { date, [header]: String(inOneSecond), ...further }, json };
  };
  const issue = { id: 'i', title: 'x' };

  /** A write or a read of each, how its provider says "in one second", and what it answers then. */
  const LIMITS: readonly [string, JsonObject, () => CaseAnswer, Json][] = [
    [
      'github.comment',
      { owner: 'o', repo: 'r', number: 1, body: 'x' },
      () => until('x-ratelimit-reset', 403, { message: 'API rate limit exceeded' }, { 'x-ratelimit-remaining': '0' }),
      { id: 1 },
    ],
    [
      'gitlab.comment',
      { project: 1, iid: 1, body: 'x' },
      () => until('ratelimit-reset', 429, {}),
      { id: 1, body: 'x' },
    ],
    [
      'jira.create_issue',
      { project: 'P', issue_type: 'Bug', summary: 'x' },
      () => ({ status: 429, headers: { 'retry-after': '1' }, json: { errorMessages: ['Rate limit exceeded.'] } }),
      { id: '1', key: 'P-1' },
    ],
    [
      'linear.create_issue',
      { teamId: 't', title: 'x' },
      () =>
        until('x-ratelimit-requests-reset', 400, { errors: [{ message: 'x', extensions: { code: 'RATELIMITED' } }] }),
      { data: { issueCreate: { success: true, issue } } },
    ],
    [
      'monday.create_update',
      { item: 1, body: 'x' },
      () => ({
        json: {
          errors: [{ message: 'x', extensions: { code: 'COMPLEXITY_BUDGET_EXHAUSTED', retry_in_seconds: 1 } }],
        },
      }),
      { data: { create_update: { id: '1' } } },
    ],
    [
      'todoist.create_task',
      { content: 'x' },
      () => ({ status: 429, json: { error: 'Too many requests', error_extra: { retry_after: 1 } } }),
      { id: '1', content: 'x' },
    ],
    [
      'shopify.add_tags',
      { id: 'gid://shopify/Order/1', tags: ['x'] },
      () => ({
        json: {
          errors: [{ message: 'Throttled', extensions: { code: 'THROTTLED' } }],
          extensions: {
            cost: { requestedQueryCost: 100, throttleStatus: { currentlyAvailable: 50, restoreRate: 50 } },
          },
        },
      }),
      { data: { tagsAdd: { node: { id: 'gid://shopify/Order/1' }, userErrors: [] } } },
    ],
    [
      'discord.send_message',
      { channel: '1', content: 'x' },
      () => ({ status: 429, json: { message: 'You are being rate limited.', retry_after: 0.64, global: false } }),
      { id: '1' },
    ],
    [
      'dropbox.delete',
      { path: '/x' },
      () => ({ status: 429, json: { error_summary: 'too_many_requests/', error: { retry_after: 1 } } }),
      { metadata: { name: 'x' } },
    ],
    [
      'pagerduty.create_note',
      { from: 'ada@example.com', incident: 'P', content: 'x' },
      () => ({ status: 429, headers: { 'ratelimit-reset': '1' }, json: { error: { message: 'x', code: 2020 } } }),
      { note: { id: '1' } },
    ],
    [
      'intercom.create_contact',
      { role: 'lead' },
      () => until('x-ratelimit-reset', 429, { errors: [{ code: 'rate_limit_exceeded', message: 'x' }] }),
      { id: '1', role: 'lead' },
    ],
  ];

  test.each(LIMITS)('by %s, which is then done once', async (type, config, limited, answered) => {
    const connector = type.split('.')[0] ?? '';
    answering((n) => (n === 1 ? limited() : { json: answered }));
    const step = {
      id: 'act',
      type,
      config: { ...config, connection: `right ${connector}` },
      retry: { max_attempts: 2, initial_interval: '1ms' },
    };
    const execution = await run(ann, await workflowOf(ann, [step], `limit of ${type}`));
    expect(execution).toMatchObject({ status: 'completed' });
    const [first, second] = asked;
    expect(asked).toHaveLength(2);
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(900);
    // The same request with the same key: a provider that knows keys does it once whatever became of the first.
    const key = first?.request.headers['idempotency-key'];
    expect(second?.request).toMatchObject({ url: first?.request.url, text: first?.request.text });
    expect(second?.request.headers['idempotency-key']).toBe(key);
    expect(key).toMatch(/\S/);
  });

  test('and pages begin anew after it, so that none is missing', async () => {
    const page = (id: number, next: number | null): CaseAnswer => ({
      ...(next === null ? {} : { headers: { link: `<https://api.github.com/x?page=${next}>; rel="next"` } }),
      json: [{ id, number: id, title: 'x', state: 'open' }],
    });
    answering((n, { url }) => {
      const { searchParams } = new URL(url, provider.url);
      if (n === 2) return { status: 403, headers: { 'retry-after': '1' }, json: { message: 'secondary rate limit' } };
      return searchParams.get('page') === '2' ? page(2, null) : page(1, 2);
    });
    const step = {
      id: 'list',
      type: 'github.list_issues',
      config: { owner: 'o', repo: 'r', connection: 'right github' },
      retry: { max_attempts: 2, initial_interval: '1ms' },
    };
    const execution = await run(ann, await workflowOf(ann, [step], 'pages'));
    expect(execution).toMatchObject({
      status: 'completed',
      output: { items: [{ id: 1 }, { id: 2 }], count: 2, more: false },
    });
    expect(asked).toHaveLength(4);
  });
});
