import type { ServiceSchema } from 'moleculer';
import { contract } from '../../../contracts/contract';
import { nothing } from '../../../lib/schema';
import { type ActionContext, defineService } from '../../../mixins/service';
import type { App } from '../../../services/app';
import { startApp, type TestApp } from '../../support/app';

let app: TestApp;
const callers: unknown[] = [];

/** Answers with the role of the caller. */
const witness = (witnessApp: App): ServiceSchema => {
  const roleOf = (ctx: { meta: { principal?: string } }): string =>
    witnessApp.principals.verify(ctx.meta.principal, witnessApp.clock.now())?.role ?? 'none';
  return {
    name: 'secrets',
    actions: { list: (ctx) => ({ data: [{ name: roleOf(ctx) }] }), missing: (ctx) => ({ names: [roleOf(ctx)] }) },
  };
};

const asker = contract('channels', {
  abandon_once: { access: 'member', summary: 'Asks the witness three times', params: {}, result: nothing },
});

/** Calls as its caller, then on the tenant's account, then as its caller again. */
const asking = (askingApp: App): ServiceSchema =>
  defineService(askingApp, asker, {
    handlers: {
      async abandon_once({ call, tenantId }: ActionContext<'channels.abandon_once'>) {
        callers.push((await call('secrets.list', {})).data[0]?.name);
        callers.push((await call('secrets.missing', { names: [] }, { asServiceOf: tenantId })).names[0]);
        callers.push((await call('secrets.list', {})).data[0]?.name);
      },
      // The other actions of the service play no part here.
    } as never,
  });

beforeAll(async () => {
  app = await startApp({ services: [witness, asking] });
});

afterAll(() => app?.close());

test("a call on the tenant's account leaves later calls with the caller's own rights", async () => {
  await app.call('channels.abandon_once', { scope: 's', key: 'k' }, { tenant_id: 'tenant', role: 'admin' });
  expect(callers).toEqual(['admin', 'service', 'admin']);
});
