import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { auditService } from '../../../services/audit/audit.service';
import { authService } from '../../../services/auth/auth.service';
import type { RunViewList } from '../../../contracts/auth/run-views';
import { registerTenant } from '../../support/accounts';
import { startApp, type TestApp } from '../../support/app';
import { ask } from '../../support/http';
import { join } from '../../support/team';

let t: TestApp;
beforeAll(async () => {
  t = await startApp({ services: [apiGatewayService, authService, auditService] });
});
afterAll(() => t.close());

const FAILED = { name: 'Failed', query: 'ExecutionStatus = "Failed"', trials: false };
const ALL = { name: 'With trials', query: '', trials: true };
const read = async (token: string) => (await ask(t, 'GET /api/v1/me/run-views', { token })).body as RunViewList;
const put = (token: string, views: unknown, revision = 0) =>
  ask(t, 'PUT /api/v1/me/run-views', { token, body: { views, revision } });

describe('saved views of runs', () => {
  it('belong to a user', async () => {
    const owner = await registerTenant(t);
    const other = await join(t, owner.token, 'grace@example.com');
    expect(await read(owner.token)).toEqual({ views: [], revision: 0 });
    expect(await put(owner.token, [FAILED, ALL])).toMatchObject({ status: 200, body: { revision: 1 } });
    expect(await read(owner.token)).toEqual({ views: [FAILED, ALL], revision: 1 });
    expect(await read(other.token)).toEqual({ views: [], revision: 0 });
  });

  it('are not overwritten by a change of an earlier list', async () => {
    const { token } = await registerTenant(t);
    const answers = await Promise.all([put(token, [FAILED]), put(token, [ALL])]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    expect(await put(token, [], 0)).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(await put(token, [], 1)).toMatchObject({ status: 200, body: { views: [], revision: 2 } });
    expect(await read(token)).toEqual({ views: [], revision: 2 });
  });

  it('are bounded, and have names that differ', async () => {
    const { token } = await registerTenant(t);
    const many = Array.from({ length: 31 }, (_, n) => ({ ...FAILED, name: `Failed ${n}` }));
    const refused = [
      many,
      [{ ...FAILED, query: 'x'.repeat(2_001) }],
      [{ ...FAILED, name: '' }],
      [{ ...FAILED, name: 'n'.repeat(61) }],
      [FAILED, { ...ALL, name: ' Failed ' }],
      ['Failed'],
      { length: 1 },
    ];
    for (const views of refused) expect(await put(token, views)).toMatchObject({ status: 400 });
    expect(await put(token, many.slice(0, 30))).toMatchObject({ status: 200 });
    expect(await put(token, [{ ...FAILED, __proto__: null, more: 1 }], 1)).toMatchObject({
      status: 200,
      body: { views: [FAILED] },
    });
  });
});
