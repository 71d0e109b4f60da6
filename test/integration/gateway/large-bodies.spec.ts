import { type ClientRequest, request } from 'node:http';
import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { startApp, type TestApp } from '../../support/app';
import { until } from '../../support/until';
import { fakes, startable, startResult } from './support/fakes';

const ANY = startable().id;
const UNKNOWN = '00000000-0000-4000-8000-000000000002';
const LIMIT = 256 * 1024;
let app: TestApp;
let answerAll: () => void;

beforeAll(async () => {
  const held = new Promise<void>((resolve) => (answerAll = resolve));
  app = await startApp({
    services: [
      apiGatewayService,
      ...fakes({
        'workflows.startable': async ({ params }) => (params.id === ANY ? startable() : null),
        'executor.start': async () => {
          await held;
          return startResult();
        },
      }),
    ],
    env: { WEBHOOK_LIMIT: String(LIMIT), BODY_LIMIT: String(LIMIT) },
  });
});
afterAll(() => app.close());

/** Sends a body of so many bytes and tells the answer's status when it comes. */
function post(bytes: number, id = ANY) {
  const outcome: { status: number | null; retryAfter?: string } = { status: null };
  const sent: ClientRequest = request(`${app.url}/webhooks/${id}`, { method: 'POST' }, (response) => {
    outcome.status = response.statusCode ?? null;
    outcome.retryAfter = response.headers['retry-after'];
    response.resume();
  });
  sent.on('error', () => {});
  sent.end(Buffer.alloc(bytes, 97));
  return { outcome, hangUp: () => sent.destroy() };
}

describe('large bodies', () => {
  it('are not read when the address does not exist', async () => {
    const lost = post(LIMIT, UNKNOWN);
    await until('it is refused', () => lost.outcome.status === 404);
  });

  it('are turned away while several are held, and small ones are not', async () => {
    const large = Array.from({ length: 7 }, () => post(LIMIT));
    const refused = () => large.filter(({ outcome }) => outcome.status === 503);
    await until('some are refused', () => refused().length === 2);
    expect(refused().map(({ outcome }) => outcome.retryAfter)).toEqual(['1', '1']);
    const small = post(1_000);
    answerAll();
    await until('the small one is taken', () => small.outcome.status === 202);
    await until('the others are taken', () => large.filter(({ outcome }) => outcome.status === 202).length === 5);

    const next = post(LIMIT);
    await until('there is room again', () => next.outcome.status === 202);
  });

  it('whose sender hangs up leave room for others', async () => {
    for (let n = 0; n < 20; n++) {
      const sent = post(LIMIT);
      sent.hangUp();
    }
    const last = post(LIMIT);
    await until('it is taken', () => last.outcome.status === 202);
  });
});
