import fc from 'fast-check';
import { aiService } from '../../../services/ai';
import { apiGatewayService } from '../../../services/api-gateway';
import { ROUTES } from '../../../services/api-gateway/routes';
import { authService } from '../../../services/auth';
import { channelsService } from '../../../services/channels';
import { secretsService } from '../../../services/secrets';
import { workflowsService } from '../../../services/workflows';
import { registerTenant } from '../../support/accounts';
import { startApp, type TestApp } from '../../support/app';
import { type LlmServer, startLlmServer } from '../../support/llm-server';
import { rawRequest, statusOf } from '../../support/raw-http';
import { fakes, foreign } from './support/fakes';

const RUNS = 400;
let app: TestApp;
let models: LlmServer;
let token: string;

beforeAll(async () => {
  const none = () => {
    throw foreign('not_found', 404, 'There is no such execution');
  };
  models = await startLlmServer(() => ({ kind: 'text', text: '{}' }));
  app = await startApp({
    env: { LLM_OPENAI_COMPATIBLE_BASE_URL: models.baseUrl.openai, LLM_OPENAI_COMPATIBLE_MODEL: 'any' },
    services: [
      apiGatewayService,
      authService,
      secretsService,
      aiService,
      workflowsService,
      channelsService,
      ...fakes({
        'executor.ready': () => ({ ready: true, reason: null }),
        'executions.health': () => ({ data: [] }),
        'executions.purge': () => ({ removed: 0 }),
        'executions.list': () => ({ data: [] }),
        'executions.workers': () => ({ data: [] }),
        'executions.approvals': () => ({ data: [] }),
        'executions.get': none,
        'executions.detail': none,
        'executions.cancel': none,
        'executions.retry': none,
        'executions.signal': none,
        'executions.feedback': none,
        'executions.public': none,
        'executions.events': none,
        'executions.decide_by_link': none,
      }),
    ],
  });
  token = (await registerTenant(app)).token;
});
afterAll(() => Promise.all([app.close(), models.close()]));

const nasty = fc.constantFrom(
  '',
  '%00',
  '%zz',
  '%2e%2e%2f',
  '__proto__',
  'constructor',
  '\u0000',
  '%F0%9F%92%A9',
  '$where',
  '..',
  ':id',
  'null',
  '9'.repeat(400),
  "'",
  '"',
  '<b>',
  '%ff',
);
const segment = fc.oneof(nasty, fc.uuid(), fc.string({ maxLength: 30 }).map(encodeURIComponent));
const value = fc.oneof(
  { depthSize: 'small' },
  fc.jsonValue({ maxDepth: 4 }),
  fc.constantFrom<unknown>(
    'a\u0000b',
    { $ne: null },
    { $gt: '' },
    ['x'],
    -1,
    1e308,
    {},
    [],
    '\ud800',
    'x'.repeat(5_000),
    true,
    null,
  ),
);
const FIELDS = [
  'tenant_slug',
  'tenant_name',
  'email',
  'password',
  'name',
  'value',
  'dsl',
  'description',
  'env',
  'key',
  'signal',
  'data',
  'rating',
  'comment',
  'require_approval',
  'webhook_api_key',
  'workflow',
  'format',
  'id',
  'address',
  '__proto__',
  'toString',
  '$set',
];
const body = fc.oneof(
  fc.dictionary(fc.constantFrom(...FIELDS), value).map((object) => JSON.stringify(object)),
  fc.json(),
  fc.string(),
  fc.constantFrom(
    '{"__proto__":{"x":1}}',
    '{"a":',
    '[',
    'null',
    `{"dsl":${'['.repeat(300)}${']'.repeat(300)}}`,
    '{"a":1e999}',
    '{"name":"\\ud800"}',
    '\ufeff{}',
  ),
);
const query = fc.oneof(
  fc.constant(''),
  fc
    .dictionary(
      fc.constantFrom(
        'limit',
        'offset',
        'cursor',
        'decision',
        'confirm',
        'challenge',
        'wait',
        'include',
        'status',
        'a[b]',
        '__proto__',
      ),
      fc.oneof(nasty, fc.string({ maxLength: 20 }).map(encodeURIComponent)),
    )
    .map(
      (pairs) =>
        `?${Object.entries(pairs)
          .map(([name, given]) => `${name}=${given}`)
          .join('&')}`,
    ),
);
const headers = fc.dictionary(
  fc.constantFrom(
    'accept',
    'idempotency-key',
    'last-event-id',
    'x-api-key',
    'x-request-id',
    'origin',
    'content-encoding',
    'x-forwarded-for',
    '__proto__',
    'constructor',
  ),
  fc.oneof(
    fc.constantFrom('text/html', 'gzip', '-1', 'a', ';;q=,', 'x'.repeat(300), '*/*'),
    fc.string({ maxLength: 20 }).map((text) => text.replace(/[^\x20-\x7e]/g, '').trim()),
  ),
);
const type = fc.constantFrom(
  'application/json',
  'application/json',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'application/json; charset=x',
  ';',
  'application/octet-stream',
);

describe('no request, however odd, is a fault of ours', () => {
  const post = ROUTES.filter((route) => route.path !== '/health/ready');

  test(`${RUNS} requests over every route`, async () => {
    const asked = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...post),
        fc.array(segment, { minLength: 3, maxLength: 3 }),
        query,
        body,
        headers,
        type,
        async (route, segments, search, text, extra, contentType) => {
          let next = 0;
          const path = route.path
            .replace(/:\w+/g, () => segments[next++ % segments.length] as string)
            .replace(/[^\x21-\x7e]/g, encodeURIComponent);
          const payload = route.method === 'GET' || route.method === 'DELETE' ? '' : text;
          const lines = [
            `${route.method} ${path}${search.replace(/[^\x21-\x7e]/g, encodeURIComponent)} HTTP/1.1`,
            'Host: x',
            'Connection: close',
            `Authorization: Bearer ${token}`,
            ...Object.entries(extra).map(([name, given]) => `${name}: ${given}`),
            ...(payload === ''
              ? []
              : [`Content-Type: ${contentType}`, `Content-Length: ${Buffer.byteLength(payload)}`]),
          ];
          const answer = await rawRequest(app.url, `${lines.join('\r\n')}\r\n\r\n${payload}`, 5_000);
          const status = statusOf(answer);
          asked.add(`${route.method} ${route.path}`);
          if (status === null || status >= 500) throw new Error(`${lines.join('\n')}\n\n${payload}\n\n${answer}`);
        },
      ),
      { numRuns: RUNS },
    );
    expect(asked.size).toBeGreaterThan(post.length / 2);
    expect((await fetch(`${app.url}/health`)).status).toBe(200);
  }, 120_000);

  test('bytes that are hardly HTTP', async () => {
    const piece = fc.constantFrom(
      'GET ',
      'POST ',
      '/health',
      ' HTTP/1.1',
      '\r\n',
      '\n',
      ': ',
      'Host',
      'Content-Length: 5',
      'Transfer-Encoding: chunked',
      'ffffffff',
      '\u0000',
      'é',
      '0',
      ' ',
      'X'.repeat(100),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 20 }), async (pieces) => {
        const status = statusOf(await rawRequest(app.url, `${pieces.join('')}\r\n\r\n`, 30));
        if (status !== null && status >= 500) throw new Error(JSON.stringify(pieces));
      }),
      { numRuns: 100 },
    );
    expect((await fetch(`${app.url}/health`)).status).toBe(200);
  }, 60_000);
});
