import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { ERRORS } from '../../lib/errors';
import { ROUTES } from '../../services/api-gateway/routes';
import type { Route } from '../../services/api-gateway/routes/route';
import { type LlmServer, startLlmServer } from '../support/llm-server';
import { Api } from '../support/server';
import { Installation } from './support/installation';
import { oddBody, oddDocument, oddText, oddValue } from './support/odd';
import { createWorkflow, trigger } from './support/runs';

/** More by hand: FUZZ_SECONDS=600. */
const FUZZ_MS = Number(process.env.FUZZ_SECONDS ?? 7) * 1_000;
const ANSWER_MS = 10_000;
/** A request that waits for a run gives up after this, well before it would count as hanging. */
const REQUEST_TIMEOUT_SECONDS = 2;
const MAX_RESIDENT_MB = 600;

/** Codes of 5xx that are no fault of the service: runs that fail, and providers that are not configured. */
const NO_FAULTS_OF_OURS = new Set(['execution_failed', 'timed_out', 'provider_not_configured']);

let installation: Installation;
let models: LlmServer;
let owner: Api;
/** Ids that exist, so that requests get further than "not found". */
let known: Record<string, string[]>;

beforeAll(async () => {
  models = await startLlmServer(() => ({ kind: 'text', text: '{}' }));
  installation = await Installation.make({
    REQUEST_TIMEOUT: String(REQUEST_TIMEOUT_SECONDS),
    LLM_OPENAI_COMPATIBLE_BASE_URL: models.baseUrl.openai,
    LLM_OPENAI_COMPATIBLE_MODEL: 'any',
    BILLING_PROVIDER_WEBHOOK_SECRET: 'whsec_of_the_fuzz',
    MESSAGING_A_VERIFY_TOKEN: 'verify of the fuzz',
    MESSAGING_A_APP_SECRET: 'app secret of the fuzz',
    MESSAGING_A_AUTH_TOKEN: 'auth token of the fuzz',
    VOICE_PROVIDER_API_KEY: 'key-of-the-fuzz',
    VOICE_PROVIDER_API_SECRET: 'a secret of the fuzz, long enough for HS256',
  });
  await installation.start();
  owner = new Api(installation.url);
  await owner.register('fuzzed');
  // Some request will log out; an API key stays valid.
  owner.token = (await owner.call<{ key: string }>('POST', '/api/v1/api-keys', { name: 'fuzz' })).key;
  await owner.call('POST', '/api/v1/secrets', { name: 'TOKEN', value: 'a-secret-value' });
  const workflow = await createWorkflow(owner, [
    { id: 'one', type: 'set', config: { it: '{{ trigger.body ?? null }}' } },
    { id: 'ask', type: 'approval', config: { message: 'Go on?' } },
  ]);
  const runs = await Promise.all(Array.from({ length: 5 }, () => trigger(owner, workflow)));
  known = { id: [workflow, ...runs], step_id: ['one', 'ask'], name: ['TOKEN'], key_id: [] };
}, 60_000);

afterAll(() => Promise.all([installation?.remove(), models?.close()]));

/** Percent-encoded; half of a surrogate pair, which cannot be, as the replacement character. */
const escape = (text: string, max: number): string => encodeURIComponent(Buffer.from(text.slice(0, max)).toString());

const pathOf = (route: Route) =>
  fc
    .tuple(
      ...route.path.split('/').map((part) => {
        if (!part.startsWith(':')) return fc.constant(part);
        const odd = fc.oneof(
          oddText.map((text) => escape(text, 3_000)),
          fc.constantFrom('%00', '%zz', '%ff', '%2e%2e'),
        );
        const names = known[part.slice(1)] ?? [];
        return names.length > 0 ? fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...names) }, odd) : odd;
      }),
    )
    .map((parts) => parts.join('/'));

const QUERY = [
  'limit',
  'offset',
  'cursor',
  'status',
  'workflow_id',
  'include',
  'decision',
  'confirm',
  'wait',
  'challenge',
  '__proto__',
];
const queryText = fc
  .dictionary(fc.constantFrom(...QUERY), fc.oneof(fc.constantFrom('1', '-1', '200', 'approve', 'attempts'), oddText))
  .map((pairs) =>
    Object.entries(pairs)
      .map(([name, value]) => `${name}=${escape(value, 1_000)}`)
      .join('&'),
  );

const headerText = fc.oneof(
  fc.constantFrom('text/html', 'gzip', '*/*', '0', '-1', '1, 2', 'x'.repeat(300)),
  fc.string({ maxLength: 30 }).map((text) => text.replace(/[^\x21-\x7e]/g, '')),
);
const HEADERS = [
  'accept',
  'idempotency-key',
  'last-event-id',
  'x-api-key',
  'x-request-id',
  'content-encoding',
  'webhook-id',
  'origin',
];
const headersOf = fc.dictionary(fc.constantFrom(...HEADERS), headerText);
const contentType = fc.oneof(
  { weight: 5, arbitrary: fc.constant('application/json') },
  fc.constantFrom('text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'a/b; charset=x', ';'),
);
const credential = fc.oneof(
  { weight: 4, arbitrary: fc.constant('own') },
  fc.constantFrom('', 'Bearer', 'Bearer x', 'Bearer evs_x', `Bearer evw_${'x'.repeat(43)}`, 'Basic eDp5'),
);

/** Sends a request and checks the answer. @throws Error naming the fault of the answer */
async function ask(method: string, target: string, init: { headers: Record<string, string>; body?: string }) {
  const response = await fetch(`${installation.url}${target}`, {
    method,
    headers: init.headers,
    ...(init.body === undefined || init.body === '' ? {} : { body: init.body }),
    signal: AbortSignal.timeout(ANSWER_MS),
    redirect: 'manual',
  });
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('text/event-stream')) {
    await response.body?.cancel();
    return;
  }
  const text = await response.text();
  if (response.status < 400 || type.startsWith('text/html')) return;
  const body = JSON.parse(text) as { error?: unknown; code?: unknown; request_id?: unknown };
  const { error, code, request_id: id } = body;
  if (typeof error !== 'string' || typeof code !== 'string' || id !== response.headers.get('x-request-id'))
    throw new Error(`Not an error as promised: ${response.status} ${text}`);
  if (!Object.hasOwn(ERRORS, code) || (response.status >= 500 && !NO_FAULTS_OF_OURS.has(code)))
    throw new Error(`${response.status} ${text}`);
}

const alive = async (): Promise<void> => {
  expect(await new Api(installation.url).call('GET', '/health/ready')).toEqual({ status: 'ready' });
  const resident = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${installation.server.pid}/status`, 'utf8'))?.[1]);
  expect(resident / 1024).toBeLessThan(MAX_RESIDENT_MB);
};

describe('nothing that anybody sends is a fault of ours', () => {
  it(
    'over every route',
    async () => {
      let asked = 0;
      const request = fc.constantFrom(...ROUTES).chain((route) =>
        fc.record({
          route: fc.constant(route),
          path: pathOf(route),
          query: queryText,
          headers: headersOf,
          body: oddBody,
          type: contentType,
          credential,
        }),
      );
      await fc.assert(
        fc.asyncProperty(request, async ({ route, path, query, headers, body, type, credential: given }) => {
          asked++;
          const writes = route.method === 'POST' || route.method === 'PUT';
          await ask(route.method, `${path}${query === '' ? '' : `?${query}`}`, {
            headers: {
              ...headers,
              ...(given === '' ? {} : { authorization: given === 'own' ? `Bearer ${owner.token}` : given }),
              ...(writes ? { 'content-type': type } : {}),
            },
            ...(writes ? { body } : {}),
          });
        }),
        { numRuns: 1_000_000, interruptAfterTimeLimit: FUZZ_MS, endOnFailure: true },
      );
      process.stdout.write(`fuzz: ${asked} requests\n`);
      expect(asked).toBeGreaterThan(100);
      await alive();
    },
    FUZZ_MS + 30_000,
  );

  it(
    'as a workflow, and to it',
    async () => {
      let ran = 0;
      await fc.assert(
        fc.asyncProperty(oddDocument, oddValue, oddText, async (dsl, body, name) => {
          const api = { headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' } };
          await ask('POST', '/api/v1/workflows/validate', { ...api, body: JSON.stringify({ dsl }) });
          const made = await owner.ask<{ id: string; code?: string }>('POST', '/api/v1/workflows', {
            name: `n${name}`,
            dsl,
          });
          if (made.status !== 201) {
            expect(made.status).toBe(400);
            return;
          }
          ran++;
          const id = made.body.id;
          await ask('POST', `/webhooks/${id}/sync`, { headers: api.headers, body: JSON.stringify(body) });
          await ask('GET', `/api/v1/workflows/${id}/export`, api);
          const { data } = await owner.call<{ data: { id: string }[] }>('GET', `/api/v1/executions?workflow_id=${id}`);
          for (const run of data) await ask('GET', `/api/v1/executions/${run.id}/detail`, api);
          await ask('DELETE', `/api/v1/workflows/${id}`, api);
        }),
        { numRuns: 1_000_000, interruptAfterTimeLimit: FUZZ_MS, endOnFailure: true },
      );
      process.stdout.write(`fuzz: ${ran} workflows run\n`);
      expect(ran).toBeGreaterThan(5);
      await alive();
    },
    FUZZ_MS + 30_000,
  );
});
