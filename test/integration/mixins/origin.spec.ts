import type { ServiceSchema } from 'moleculer';
import { Origins } from '../../../mixins/origin';
import { Principals } from '../../../mixins/principal';
import { type ActionContext, defineService } from '../../../mixins/service';
import type { App } from '../../../services/app';
import { sign, startApp, type TestApp } from '../../support/app';

const KEY = Buffer.alloc(32, 3);

let app: TestApp;

/** Answers with the address that its caller is believed to have. */
const witness = (of: App): ServiceSchema =>
  defineService(of, 'secrets', {
    actions: {
      list: {
        access: 'member',
        summary: 'Tells the address',
        params: {},
        handle: ({ origin }: ActionContext<'secrets.list'>) => ({ data: [{ name: String(origin.address) }] }),
      },
      // The other actions of the service play no part here.
    } as never,
  });

/** Asks the witness in his turn. */
const between = (of: App): ServiceSchema =>
  defineService(of, 'ai', {
    actions: {
      models: {
        access: 'member',
        summary: 'Asks the witness',
        params: {},
        handle: ({ call }: ActionContext<'ai.models'>) => call('secrets.list', {}),
      },
    } as never,
  });

beforeAll(async () => {
  app = await startApp({ services: [witness, between] });
});
afterAll(() => app?.close());

async function addressOf(origin: unknown, { requestId = 'r1', through = 'secrets.list' } = {}): Promise<string> {
  const principal = sign(app.app, { tenant_id: 't1', role: 'member' });
  const meta = { principal, request_id: requestId, origin };
  return ((await app.broker.call(through, {}, { meta })) as { data: { name: string }[] }).data[0]?.name as string;
}

test('the address that the gateway vouches for reaches the service, and the services that this one calls', async () => {
  const origin = app.app.origins.sign('2001:db8::7', 'r1');
  expect(await addressOf(origin)).toBe('2001:db8::7');
  expect(await addressOf(origin, { through: 'ai.models' })).toBe('2001:db8::7');
});

test('a word that was given for another request counts for nothing', async () => {
  expect(await addressOf(app.app.origins.sign('192.0.2.1', 'r1'), { requestId: 'r2' })).toBe('null');
});

const good = new Origins(KEY).sign('192.0.2.1', 'r1');

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['a bare address', '192.0.2.1'],
  ['an address without a proof', '.192.0.2.1'],
  ['another address under the proof', good.replace('192.0.2.1', '192.0.2.2')],
  ['a proof cut short', good.slice(3)],
  ['a proof under another key', new Origins(Buffer.alloc(32, 9)).sign('192.0.2.1', 'r1')],
  ['an object', { address: '192.0.2.1' }],
  ['a number', 7],
  ['a null', null],
  ['the proof of a principal', new Principals(KEY).forTenant('t1', Date.now())],
  ['no text at all', ''],
])('%s is believed by nobody, and harms nobody', async (_what, forged) => {
  expect(await addressOf(forged)).toBe('null');
});

test('a word about an address is no principal', () => {
  const principals = new Principals(KEY);
  for (const text of [good, good.split('.').reverse().join('.')]) {
    expect(principals.verify(text, Date.now())).toBeNull();
  }
});
