import type { ServiceSchema } from 'moleculer';
import { contract } from '../../../contracts/contract';
import { unknown } from '../../../lib/schema';
import { ClientAddressSigner } from '../../../lib/client-address';
import { Principals } from '../../../lib/principal';
import { type ActionContext, defineService } from '../../../mixins/service';
import type { App } from '../../../services/app';
import { sign, startApp, type TestApp } from '../../support/app';

const KEY = Buffer.alloc(32, 3);

let app: TestApp;

const open = { access: 'member', summary: 'Part of this test', params: {}, result: unknown } as const;

/** Answers with the address that its caller is believed to have. */
const witness = (of: App): ServiceSchema =>
  defineService(of, contract('secrets', { list: open }), {
    handlers: {
      list: ({ origin }: ActionContext<'secrets.list'>) => ({ data: [{ name: String(origin.address) }] }),
      // The other actions of the service play no part here.
    } as never,
  });

/** Asks the witness in its turn. */
const between = (of: App): ServiceSchema =>
  defineService(of, contract('ai', { models: open }), {
    handlers: { models: ({ call }: ActionContext<'ai.models'>) => call('secrets.list', {}) } as never,
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

test.each([
  ['in the same process', (origin: object) => origin],
  ['over the bus', (origin: object): unknown => JSON.parse(JSON.stringify(origin))],
])('an address that the gateway has signed reaches the service, and those that it calls: %s', async (_way, sent) => {
  const origin = sent(app.app.clientAddresses.sign('2001:db8::7', 'r1'));
  expect(await addressOf(origin)).toBe('2001:db8::7');
  expect(await addressOf(origin, { through: 'ai.models' })).toBe('2001:db8::7');
});

test('an address that was signed for another request is not accepted', async () => {
  const signed = app.app.clientAddresses.sign('192.0.2.1', 'r1');
  expect(await addressOf(signed, { requestId: 'r2' })).toBe('null');
  expect(await addressOf(signed.toJSON(), { requestId: 'r2' })).toBe('null');
});

const good = new ClientAddressSigner(KEY).sign('192.0.2.1', 'r1').toJSON();

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['a bare address', '192.0.2.1'],
  ['an address without a proof', '.192.0.2.1'],
  ['another address under the proof', good.replace('192.0.2.1', '192.0.2.2')],
  ['a proof cut short', good.slice(3)],
  ['a proof under another key', new ClientAddressSigner(Buffer.alloc(32, 9)).sign('192.0.2.1', 'r1').toJSON()],
  ['an object of another signer', new ClientAddressSigner(Buffer.from(KEY)).sign('192.0.2.1', 'r1')],
  ['an object', { address: '192.0.2.1' }],
  ['a number', 7],
  ['a null', null],
  ['the proof of a principal', new Principals(KEY).forTenant('t1', Date.now())],
  ['no text at all', ''],
])('%s is not accepted', async (_what, forged) => {
  expect(await addressOf(forged)).toBe('null');
});

test('the signature of an address is no principal', () => {
  const principals = new Principals(KEY);
  for (const text of [good, good.split('.').reverse().join('.')]) {
    expect(principals.verify(text, Date.now())).toBeNull();
  }
});
