import { secretsService } from '../../../services/secrets/secrets.service';
import { startApp, type TestApp } from '../../support/app';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ services: [secretsService] });
});
afterAll(() => app.close());

const put = (name: unknown): Promise<unknown> =>
  app.call('secrets.put', { name: name as string, value: 'a value' }, { tenant_id: 't', role: 'owner' });

test.each<[string, unknown]>([
  ['an object without a text', { toString: 1 }],
  ['a list that holds one', [{ toString: '' }]],
  ['an object that is no use as a number either', { valueOf: null, toString: null }],
  ['a list that holds itself many times over', Array.from({ length: 50_000 }, () => ['x', ['y']])],
])('%s where a text is wanted is refused with the name of the field, and without the value', async (_what, name) => {
  const fault = await put(name).catch((error: unknown) => error as { type: string; data: unknown });
  expect(fault).toMatchObject({
    type: 'invalid_request',
    data: { details: [{ path: 'name', message: "The 'name' field must be a string." }] },
  });
});
