import fc from 'fast-check';
import { ERRORS } from '../../../lib/errors';
import { ROUTES } from '../../../services/api-gateway/routes';
import { rawRequest, statusOf } from '../../support/raw-http';
import { Api } from '../../support/server';
import { until } from '../../support/until';
import { type Estate, makeEstate, SECRET } from './support/estate';
import { exchange, type RawAnswer } from './support/exchange';
import { bytesOf, type Idea, idea, type Sender } from './support/requests';
import { openWhole, type Whole } from './support/whole';

/** More by hand: `FUZZ_RUNS=20000`; the same again: `FUZZ_SEED=...`, which a failure names. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 3_500);
const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31);
const AT_ONCE = 8;
const ANSWER_MS = 5_000;

/** Paths that may respond with a 5xx without a fault of the service: the error of a run, and providers that do not exist here. */
const NOT_OURS = new Set(['execution_failed', 'timed_out', 'provider_failed', 'provider_not_configured']);

let whole: Whole;
let estate: Estate;
let outsider: Api;
const crashes: unknown[] = [];
const crashed = (fault: unknown): void => void crashes.push(fault);

beforeAll(async () => {
  whole = await openWhole({ REQUEST_TIMEOUT: '2' });
  estate = await makeEstate(whole);
  outsider = new Api(whole.url);
  await outsider.register('outsider');
  process.on('unhandledRejection', crashed);
  process.on('uncaughtException', crashed);
}, 60_000);
afterAll(async () => {
  process.off('unhandledRejection', crashed);
  process.off('uncaughtException', crashed);
  await whole.close();
});

function credentialOf(sender: Sender): string | null {
  switch (sender) {
    case 'owner':
    case 'admin':
    case 'member':
      return estate[sender].token;
    case 'api key':
      return estate.apiKey;
    case 'outsider':
      return outsider.token;
    case 'anonymous':
      return null;
    case 'nonsense':
      return 'evs_nonsense';
  }
}

/** A request may have ended the session of its sender, as it should. */
async function keepSessions(): Promise<void> {
  for (const [role, api] of [
    ['owner', estate.owner],
    ['admin', estate.admin],
    ['member', estate.member],
  ] as const) {
    const { status } = await api.ask('GET', '/api/v1/me');
    if (status === 401) await estate.signIn(role);
  }
}

/** Number of accepted requests; shows whether requests pass validation. */
let taken = 0;

/** The fault of a response; null when there is none. */
function faultOf({ status, headers, body }: RawAnswer): string | null {
  if (body.includes(SECRET) || /\bat [\w.<>]+ \(|node_modules/.test(body)) return 'it tells what is inside';
  const type = headers['content-type'] ?? '';
  if (status < 400 || type.startsWith('text/html')) return status < 500 ? null : 'a page with a 5xx';
  if (!type.startsWith('application/json')) return `an error of type "${type}"`;
  const { error, code, request_id } = JSON.parse(body) as Record<string, unknown>;
  if (typeof error !== 'string' || typeof code !== 'string' || typeof request_id !== 'string')
    return 'no error as promised';
  if (!Object.hasOwn(ERRORS, code)) return `the unknown code ${code}`;
  return status >= 500 && !NOT_OURS.has(code) ? `a fault of ours: ${code}` : null;
}

async function tried(one: Idea): Promise<string | null> {
  const bytes = bytesOf(one, { ids: estate.ids, bodies: estate.bodies, credential: credentialOf(one.sender) });
  const before = performance.now();
  const fault = await exchange(whole.url, bytes, ANSWER_MS).then(
    (answer) => {
      if (answer.status < 300) taken += 1;
      const wrong = faultOf(answer);
      return wrong === null ? null : `${wrong}\n${answer.status} ${answer.body.slice(0, 1_000)}`;
    },
    (error: Error) => error.message,
  );
  if (fault === null) return null;
  const took = Math.round(performance.now() - before);
  return `${fault}\nafter ${took} ms, to a ${one.sender} who sent\n${bytes.subarray(0, 3_000).toString('latin1')}`;
}

/** Takes one after the other, so many at a time: a slow one holds up no others. */
async function sideBySide<T>(all: readonly T[], take: (one: T, n: number) => Promise<void>): Promise<void> {
  const queue = all.entries();
  const lane = async (): Promise<void> => {
    for (const [n, one] of queue) await take(one, n);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

describe('no request causes a fault of the service', () => {
  test(
    `${RUNS} requests over every route, seed ${SEED}`,
    async () => {
      const ideas = fc.sample(idea, { numRuns: RUNS, seed: SEED });
      const faults: string[] = [];
      await sideBySide(ideas, async (one, n) => {
        if (n % (AT_ONCE * 10) === 0) await keepSessions();
        const fault = await tried(one);
        if (fault !== null) faults.push(fault);
      });
      expect(new Set(ideas.map(({ route }) => route)).size).toBe(ROUTES.length);
      const kinds = new Map(faults.map((fault) => [fault.slice(0, fault.indexOf('\nafter')), fault]));
      process.stdout.write(`fuzz: ${RUNS} requests, ${taken} of them taken\n`);
      expect(taken).toBeGreaterThan(RUNS / 20);
      expect([faults.length, [...kinds.values()].slice(0, 10).join('\n\n')]).toEqual([0, '']);
    },
    Math.max(60_000, RUNS * 60),
  );

  test('bytes that are not valid HTTP', async () => {
    const pieces = [
      ...['GET ', 'POST ', '/health', ' HTTP/1.1', '\r\n', '\n', ': ', 'Host', 'Content-Length: 5'],
      ...['Transfer-Encoding: chunked', 'ffffffff', '\u0000', 'é', '0', ' ', 'X'.repeat(100)],
    ];
    const text = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 20 });
    await sideBySide(fc.sample(text, { numRuns: 100, seed: SEED }), async (sent) => {
      const status = statusOf(await rawRequest(whole.url, `${sent.join('')}\r\n\r\n`, 30));
      expect([sent, (status ?? 0) < 500]).toEqual([sent, true]);
    });
  }, 60_000);

  test('afterwards everything works: no crash, no polluted prototype, and a new tenant runs a workflow', async () => {
    expect(crashes).toEqual([]);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    const api = new Api(whole.url);
    expect(await api.call('GET', '/health/ready')).toMatchObject({ status: 'ready' });
    await api.register('afterwards');
    const steps = [{ id: 'a', type: 'set', config: { it: '{{ trigger.body.n }}' } }];
    const dsl = { id: 'f', trigger: { type: 'http' }, steps };
    const { id } = await api.call<{ id: string }>('POST', '/api/v1/workflows', { name: 'after', dsl });
    const run = await api.call<{ id: string }>('POST', `/api/v1/workflows/${id}/trigger`, { body: { n: 7 } });
    const ended = await until('the run has ended', async () => {
      const view = await api.call<{ status: string; output: object }>('GET', `/api/v1/executions/${run.id}`);
      return view.status === 'running' ? null : view;
    });
    expect(ended).toMatchObject({ status: 'completed', output: { it: 7 } });
    expect(whole.log.filter((line) => line.includes(SECRET))).toEqual([]);
  });
});
