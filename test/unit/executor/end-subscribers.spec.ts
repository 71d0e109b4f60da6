import { EndSubscribers, TOPICS } from '../../../services/executor/end-subscribers';
import { execution } from '../../support/runtime/records';

type Context = Parameters<EndSubscribers['check']>[0];

/** Hosts' cached subscriptions, with a workflows service that a test scripts. */
function setup() {
  // A cache takes 0 for no time.
  let now = 1;
  const service = { topics: [] as string[], down: false, asked: 0 };
  const endSubscribers = new EndSubscribers({ clock: { now: () => now, after: () => () => {} } });
  const context = {
    call: async () => {
      service.asked += 1;
      if (service.down) throw new Error('the service does not answer');
      return { topics: service.topics };
    },
    log: { warn: () => {} },
  } as unknown as Context;
  const isSubscribed = (status: 'completed' | 'failed', triggerType = 'http') =>
    endSubscribers.check(context)(execution('a', { triggerType }), status);
  return { service, endSubscribers, isSubscribed, pass: (ms: number) => void (now += ms) };
}

describe('whether the end of a run has subscribers', () => {
  it('is requested once per cache lifetime', async () => {
    const { service, isSubscribed, pass } = setup();
    service.topics = ['error'];
    expect(await Promise.all([isSubscribed('completed'), isSubscribed('failed'), isSubscribed('failed')])).toEqual([
      false,
      true,
      true,
    ]);
    expect(service.asked).toBe(1);
    service.topics = [];
    pass(999);
    expect(await isSubscribed('failed')).toBe(true);
    pass(1);
    expect(await isSubscribed('failed')).toBe(false);
  });

  it('is requested again after a change, for that tenant only', async () => {
    const { service, endSubscribers, isSubscribed } = setup();
    expect(await isSubscribed('failed')).toBe(false);
    service.topics = ['error'];
    endSubscribers.forget(`${TOPICS}another`);
    expect(await isSubscribed('failed')).toBe(false);
    endSubscribers.forget(`${TOPICS}tenant`);
    expect(await isSubscribed('failed')).toBe(true);
  });

  it('is assumed when the service does not answer, without an immediate retry', async () => {
    const { service, isSubscribed, pass } = setup();
    service.down = true;
    expect(await isSubscribed('failed')).toBe(true);
    expect(await isSubscribed('completed')).toBe(true);
    expect(service.asked).toBe(1);
    service.down = false;
    pass(1_000);
    expect(await isSubscribed('failed')).toBe(false);
  });

  it('is not requested for tenants without subscriptions', async () => {
    const { service, isSubscribed } = setup();
    expect(await isSubscribed('failed', 'test')).toBe(false);
    expect(service.asked).toBe(0);
  });
});
