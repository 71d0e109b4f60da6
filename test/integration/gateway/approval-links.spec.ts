import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { startApp, type TestApp } from '../../support/app';
import { fakes, foreign } from './support/fakes';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
let app: TestApp;
let decided: string | null = null;

beforeAll(async () => {
  app = await startApp({
    services: [
      apiGatewayService,
      ...fakes({
        'executions.decide_by_link': ({ params: { id, step_id, decision } }) => {
          if (id !== 'e1') throw foreign('not_found', 404, 'There is no such approval');
          if (decision !== undefined && decided !== null)
            throw foreign('already_decided', 409, `It was decided before: <${decided}>`);
          decided = decision ?? decided;
          return {
            execution_id: id,
            step_id,
            message: '<script>alert(1)</script> "Pay"?',
            approved: decided === null ? null : decided === 'approve',
          };
        },
      }),
    ],
  });
});
beforeEach(() => {
  decided = null;
});
afterAll(() => app.close());

const follow = async (query: string, accept = 'application/json', init: RequestInit = {}) => {
  const response = await fetch(`${app.url}/api/v1/executions/e1/approve/pay${query}`, { ...init, headers: { accept } });
  return { response, status: response.status, text: await response.text() };
};

describe('an approval link', () => {
  test('decides at once for a program, the second time is 409', async () => {
    const { status, text } = await follow('?decision=approve');
    expect([status, JSON.parse(text)]).toEqual([
      200,
      { execution_id: 'e1', step_id: 'pay', message: '<script>alert(1)</script> "Pay"?', approved: true },
    ]);
    const second = await follow('?decision=reject');
    expect([second.status, JSON.parse(second.text).code, decided]).toEqual([409, 'already_decided', 'approve']);
  });

  test('only asks in a browser, in a page that runs nothing', async () => {
    const { response, status, text } = await follow('?decision=reject', BROWSER);
    expect([status, decided]).toEqual([200, null]);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt; &quot;Pay&quot;?');
    expect(text).not.toContain('<script>');
    expect(text).toContain('name="decision" value="reject"');
    expect(text).toContain('name="confirm" value="1"');
  });

  test('decides in a browser once it is confirmed, and says when it was decided before', async () => {
    const first = await follow('?decision=approve&confirm=1', BROWSER);
    expect([first.status, decided]).toEqual([200, 'approve']);
    expect(first.text).toContain('<h1>Approved</h1>');
    const second = await follow('?decision=reject&confirm=1', BROWSER);
    expect([second.status, second.text.includes('&lt;approve&gt;'), decided]).toEqual([409, true, 'approve']);
    expect((await follow('?decision=reject', BROWSER)).text).toContain('Already decided');
  });

  test('HEAD never decides', async () => {
    expect((await follow('?decision=approve', '*/*', { method: 'HEAD' })).status).toBe(200);
    expect(decided).toBeNull();
  });

  test.each(['', '?decision=', '?decision=yes', '?decision=Approve'])('%j is refused', async (query) => {
    expect((await follow(query)).status).toBe(400);
    expect((await follow(query, BROWSER)).status).toBe(400);
    expect(decided).toBeNull();
  });

  test('that leads nowhere is 404', async () => {
    expect((await fetch(`${app.url}/api/v1/executions/e2/approve/pay?decision=approve`)).status).toBe(404);
  });
});
