import { AppError } from '../../../lib/errors';
import type { TestApp } from '../../support/app';
import { describeWith } from '../../support/daemons';
import { actions, type House, knows, openHouse, refusal } from './test-cluster';

const FAIL = 'workflows.update';

describeWith('nats', { own: true })('errors between processes', () => {
  let house: House;
  let near: TestApp;
  let thrown: unknown;

  beforeAll(async () => {
    house = await openHouse();
    near = await house.join('near', []);
    await house.join('far', [
      actions({
        [FAIL]: () => {
          throw thrown;
        },
      }),
    ]);
    await knows(near, FAIL);
  });
  afterAll(() => house.close());

  const arrives = (given: unknown): Promise<unknown> => {
    thrown = given;
    return near.broker.call(FAIL, {}).then(
      () => null,
      (error: unknown) => error,
    );
  };

  test('AppErrors arrive unchanged', async () => {
    const data = { details: [{ path: 'steps[0]', message: 'is odd' }], retry_after: 3, body: { limit: 5 } };
    const error = await arrives(refusal(data));
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ name: 'AppError', type: 'workflow_limit', code: 403, retryable: false, data });
    expect((error as Error).message).toBe('There are too many');
    expect(await arrives(new AppError('unavailable', 'Not now'))).toMatchObject({
      type: 'unavailable',
      retryable: true,
    });
  });

  test('no stack of another process arrives', async () => {
    const error = refusal();
    error.stack = 'Error: at the other side (/secret/path.ts)';
    expect(((await arrives(error)) as Error).stack).not.toContain('/secret/path.ts');
  });

  test.each([
    ['an unexpected error', new TypeError('x of undefined in /secret/path.ts')],
    [
      'an error with a code of its own',
      Object.assign(new Error('E11000 secret'), { code: 11_000, type: 'MongoError' }),
    ],
    ['a text', 'secret'],
    ['nothing', undefined],
  ])('%s arrives without a word of detail', async (_, given) => {
    const error = await arrives(given);
    expect(error).toMatchObject({ type: 'internal', code: 500, message: 'Something went wrong on our side' });
    expect(JSON.stringify(error)).not.toContain('secret');
  });
});
