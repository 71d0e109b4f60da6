import { EndSubscribers, TOPICS, WATCHED } from '../../../services/executor/end-subscribers';
import type { Config } from '../../../lib/config';
import { execution } from '../../support/runtime/records';

type Context = Parameters<EndSubscribers['check']>[0];

/** Hosts' cached subscriptions, with a workflows service that a test scripts. */
function setup({ bus = null as Config['bus'] } = {}) {
  // A cache takes 0 for no time.
  let now = 1;
  const service = {
    topics: [] as string[],
    watched: { all: false, workflow_ids: [] as string[] },
    down: false,
    asked: 0,
  };
  const alerts = { isUnknown: false };
  const config = { bus } as Config;
  const endSubscribers = new EndSubscribers({ config, clock: { now: () => now, after: () => () => {} } });
  const context = {
    call: async (action: string) => {
      if (action === 'alerts.watched') {
        if (alerts.isUnknown) throw Object.assign(new Error('not found'), { type: 'SERVICE_NOT_FOUND' });
        return service.watched;
      }
      service.asked += 1;
      if (service.down) throw new Error('the service does not answer');
      return { topics: service.topics };
    },
    log: { warn: () => {} },
  } as unknown as Context;
  const isSubscribed = (status: 'completed' | 'failed' | 'cancelled', triggerType = 'http') =>
    endSubscribers.check(context)(execution('a', { triggerType }), status);
  return { service, alerts, endSubscribers, isSubscribed, pass: (ms: number) => void (now += ms) };
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

  it('is true for runs that alerts watch, from the change on', async () => {
    const { service, endSubscribers, isSubscribed } = setup();
    expect(await isSubscribed('completed')).toBe(false);
    service.watched = { all: false, workflow_ids: [execution('a', {}).workflowId] };
    endSubscribers.forget(`${WATCHED}another`);
    expect(await isSubscribed('completed')).toBe(false);
    endSubscribers.forget(`${WATCHED}tenant`);
    expect(await isSubscribed('completed')).toBe(true);
    expect(await isSubscribed('cancelled')).toBe(false);
    expect(await isSubscribed('failed', 'trial')).toBe(false);
  });

  it('does not count alerts in an installation without them; in a cluster, when its processes are known', async () => {
    const alone = setup();
    alone.alerts.isUnknown = true;
    expect(await alone.isSubscribed('failed')).toBe(false);
    const cluster = setup({ bus: { servers: [], credentials: { kind: 'none' }, tls: null } });
    cluster.alerts.isUnknown = true;
    expect(await cluster.isSubscribed('failed')).toBe(true);
    cluster.pass(60_000);
    expect(await cluster.isSubscribed('failed')).toBe(false);
  });

  it('is not requested for tenants without subscriptions', async () => {
    const { service, isSubscribed } = setup();
    expect(await isSubscribed('failed', 'test')).toBe(false);
    expect(service.asked).toBe(0);
  });
});
