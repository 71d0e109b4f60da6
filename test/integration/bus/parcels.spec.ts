import { connect, type NatsConnection } from 'nats';
import { AppError } from '../../../lib/errors';
import type { TestApp } from '../../support/app';
import { describeWith } from '../../support/daemons';
import { until } from '../../support/until';
import { actions, type House, knows, openHouse, refusal } from './house';

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
  const parcels = () => near.app.db.collection('parcels');
  const nothingLeft = () => until('no parcel is left', async () => (await parcels().countDocuments()) === 0);

  /** Lets nobody store a parcel while `act` runs. */
  async function withoutParcels(act: () => Promise<void>): Promise<void> {
    await parcels().createIndex({ taken: 1 }, { unique: true, name: 'taken' });
    await parcels().insertOne({ _id: 'the only one' as never });
    try {
      await act();
    } finally {
      await parcels().dropIndex('taken');
      await parcels().deleteMany({});
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

  test('without a place to store them, big ones fail at once, in words, either way; small ones need none', async () => {
    await withoutParcels(async () => {
      expect(await echo({ text: 'x'.repeat(60_000) })).toEqual({ text: 'x'.repeat(60_000) });
      for (const failing of [echo({ text: 'x'.repeat(66_000) }), near.broker.call(BIG, { bytes: 66_000 })]) {
        const failure = await failing.catch((error: unknown) => error);
        expect(failure).toMatchObject({ type: 'unavailable', data: { retry_after: 1 } });
      }
    });
  });

  test('errors may be big too', async () => {
    const details = Array.from({ length: 2_000 }, (_, n) => ({
      path: `steps[${n}]`,
      message: 'is wrong in a wordy way',
    }));
    const failure = await near.broker.call(REFUSE, { details }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AppError);
    expect(failure).toMatchObject({ type: 'workflow_limit', code: 403, data: { details } });
    await nothingLeft();
  });

  test('what users write is never taken for the slip of a parcel', async () => {
    const slip = { parcel: 'ad5ef92b-1e54-4ea0-9cf3-f4d0a3d0a7f4', pieces: 1, sender: 'near', id: 'x' };
    expect(await echo(slip)).toEqual(slip);
    expect(await echo([slip])).toEqual([slip]);
  });

  test('more than can be kept is refused in words, in either direction', async () => {
    const huge = 'z'.repeat(65 * 1024 ** 2);
    expect(await echo({ huge }).catch((error: unknown) => error)).toMatchObject({ type: 'payload_too_large' });
  });

  describe('and a stranger on the bus', () => {
    let stranger: NatsConnection;
    const answers: Record<string, unknown>[] = [];

    beforeAll(async () => {
      stranger = await connect({ servers: house.nats.url });
      stranger.subscribe(`MOL-${house.namespace}.RES.stranger`, {
        callback: (_, message) => void answers.push(message.json()),
      });
      await stranger.flush();
    });
    afterAll(() => stranger.close());

    const send = (text: string): void => stranger.publish(`MOL-${house.namespace}.REQ.far`, text);

    test('gets an error for a parcel that is not there', async () => {
      send('{"parcel":"ad5ef92b-1e54-4ea0-9cf3-f4d0a3d0a7f4","pieces":1,"sender":"stranger","id":"mine"}');
      const answer = await until('there is an answer', () => answers.find(({ id }) => id === 'mine'));
      expect(answer).toMatchObject({ success: false, error: { type: 'unavailable' } });
    });

    test('achieves nothing with malformed slips', async () => {
      for (const text of [
        '{"parcel":',
        '{"parcel":{"$ne":null},"pieces":1,"sender":"stranger","id":"odd"}',
        '{"parcel":"ad5ef92b-1e54-4ea0-9cf3-f4d0a3d0a7f4","pieces":1e9,"sender":"stranger","id":"odd"}',
        '{"parcel":"ad5ef92b-1e54-4ea0-9cf3-f4d0a3d0a7f4","pieces":1,"sender":"stranger 0\\r\\n\\r\\nPUB x","id":"odd"}',
        '{"parcel":"ad5ef92b-1e54-4ea0-9cf3-f4d0a3d0a7f4","pieces":1,"sender":"stranger"}',
      ])
        send(text);
      await stranger.flush();
      expect(await echo({ still: 'there' })).toEqual({ still: 'there' });
      expect(answers.filter(({ id }) => id === 'odd')).toEqual([]);
    });

    test('gets a word instead of an answer that he could not fetch', async () => {
      send(JSON.stringify({ ver: '5', sender: 'stranger', id: 'big', action: BIG, params: { bytes: 66_000 } }));
      expect(await until('there is an answer', () => answers.find(({ id }) => id === 'big'))).toMatchObject({
        success: false,
        error: { type: 'payload_too_large' },
      });
    });
  });
});
