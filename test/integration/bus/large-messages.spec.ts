import { connect, type NatsConnection } from 'nats';
import { AppError } from '../../../lib/errors';
import type { TestApp } from '../../support/app';
import { describeWith } from '../../support/daemons';
import { until } from '../../support/until';
import { actions, type House, knows, openHouse, refusal } from './test-cluster';

const ECHO = 'workflows.validate';
const BIG = 'workflows.export';
const REFUSE = 'workflows.approve';
const EIGHT_MIB = 8 * 1024 ** 2;

describeWith('nats', { own: true })('messages that are too big for the bus', () => {
  let house: House;
  let near: TestApp;

  beforeAll(async () => {
    house = await openHouse({ config: 'max_payload: 64KB' });
    near = await house.join('near', []);
    await house.join('far', [
      actions({
        [ECHO]: (ctx) => ctx.params,
        [BIG]: (ctx: { params: { bytes: number } }) => ({ text: 'x'.repeat(ctx.params.bytes) }),
        [REFUSE]: (ctx: { params: { details: never[] } }) => {
          throw refusal({ details: ctx.params.details });
        },
      }),
    ]);
    await knows(near, ECHO);
  });
  afterAll(() => house.close());

  const echo = (params: unknown, app = near): Promise<unknown> => app.broker.call(ECHO, params as object);
  const offloaded = () => near.app.db.collection('parcels');
  const nothingLeft = () =>
    until('no offloaded message is left', async () => (await offloaded().countDocuments()) === 0);

  /** Makes the offload store fail while `act` runs. */
  async function withoutStore(act: () => Promise<void>): Promise<void> {
    await offloaded().createIndex({ taken: 1 }, { unique: true, name: 'taken' });
    await offloaded().insertOne({ _id: 'the only one' as never });
    try {
      await act();
    } finally {
      await offloaded().dropIndex('taken');
      await offloaded().deleteMany({});
    }
  }

  test.each([
    ['letters', 'x'.repeat(70_000)],
    ['text whose bytes are more than its characters', '€'.repeat(30_000)],
    ['text that JSON writes longer', '\u0001"\\'.repeat(12_000)],
    ['several pieces', 'y'.repeat(EIGHT_MIB + 5)],
  ])('%s arrive whole, both ways, and nothing is left behind', async (_, text) => {
    expect(await echo({ text })).toEqual({ text });
    await nothingLeft();
  });

  test('without the store, large messages fail at once in both directions; small ones need no store', async () => {
    await withoutStore(async () => {
      expect(await echo({ text: 'x'.repeat(60_000) })).toEqual({ text: 'x'.repeat(60_000) });
      for (const failing of [echo({ text: 'x'.repeat(66_000) }), near.broker.call(BIG, { bytes: 66_000 })]) {
        const failure = await failing.catch((error: unknown) => error);
        expect(failure).toMatchObject({ type: 'unavailable', data: { retry_after: 1 } });
      }
    });
  });

  test('errors may be large too', async () => {
    const details = Array.from({ length: 2_000 }, (_, n) => ({
      path: `steps[${n}]`,
      message: 'is wrong in a wordy way',
    }));
    const failure = await near.broker.call(REFUSE, { details }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AppError);
    expect(failure).toMatchObject({ type: 'workflow_limit', code: 403, data: { details } });
    await nothingLeft();
  });

  test('user data is never mistaken for a reference', async () => {
    const reference = { parcel: 'ad5ef92b-1e54-4ea0-9cf3-f4d0a3d0a7f4', pieces: 1, sender: 'near', id: 'x' };
    expect(await echo(reference)).toEqual(reference);
    expect(await echo([reference])).toEqual([reference]);
  });

  test('a message above the maximum is rejected with an error in both directions', async () => {
    const huge = 'z'.repeat(65 * 1024 ** 2);
    expect(await echo({ huge }).catch((error: unknown) => error)).toMatchObject({ type: 'payload_too_large' });
  });

  describe('an unauthenticated client', () => {
    let outsider: NatsConnection;
    const answers: Record<string, unknown>[] = [];

    beforeAll(async () => {
      outsider = await connect({ servers: house.nats.url });
      outsider.subscribe(`MOL-${house.namespace}.RES.outsider`, {
        callback: (_, message) => void answers.push(message.json()),
      });
      await outsider.flush();
    });
    afterAll(() => outsider.close());

    const send = (text: string): void => outsider.publish(`MOL-${house.namespace}.REQ.far`, text);

    test('gets an error for a reference to nothing', async () => {
      send('{"parcel":"ad5ef92b-1e54-4ea0-9cf3-f4d0a3d0a7f4","pieces":1,"sender":"outsider","id":"mine"}');
      const answer = await until('there is an answer', () => answers.find(({ id }) => id === 'mine'));
      expect(answer).toMatchObject({ success: false, error: { type: 'unavailable' } });
    });

    test('has no effect with malformed references', async () => {
      for (const text of [
        '{"parcel":',
        '{"parcel":{"$ne":null},"pieces":1,"sender":"outsider","id":"odd"}',
        '{"parcel":"ad5ef92b-1e54-4ea0-9cf3-f4d0a3d0a7f4","pieces":1e9,"sender":"outsider","id":"odd"}',
        '{"parcel":"ad5ef92b-1e54-4ea0-9cf3-f4d0a3d0a7f4","pieces":1,"sender":"outsider 0\\r\\n\\r\\nPUB x","id":"odd"}',
        '{"parcel":"ad5ef92b-1e54-4ea0-9cf3-f4d0a3d0a7f4","pieces":1,"sender":"outsider"}',
      ])
        send(text);
      await outsider.flush();
      expect(await echo({ still: 'there' })).toEqual({ still: 'there' });
      expect(answers.filter(({ id }) => id === 'odd')).toEqual([]);
    });

    test('gets an error instead of a response that it could not fetch', async () => {
      send(JSON.stringify({ ver: '5', sender: 'outsider', id: 'big', action: BIG, params: { bytes: 66_000 } }));
      expect(await until('there is an answer', () => answers.find(({ id }) => id === 'big'))).toMatchObject({
        success: false,
        error: { type: 'payload_too_large' },
      });
    });
  });
});
