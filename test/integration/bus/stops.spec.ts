import type { TestApp } from '../../support/app';
import { describeWith } from '../../support/daemons';
import { until } from '../../support/until';
import { actions, type House, knows, openHouse } from './test-cluster';

const IDEMPOTENT_ACTIONS = 'workflows.get';
const ONCE = 'workflows.create';

describeWith('nats', { own: true })('an orderly stop of a process', () => {
  let house: House;
  let gateway: TestApp;
  /** Who has which call under way, and how to let it end. */
  const underWay: { node: string; open: () => void }[] = [];

  const join = (node: string): Promise<TestApp> => {
    const answer = () =>
      new Promise((done) => {
        underWay.push({ node, open: () => done({ node }) });
      });
    return house.join(node, [actions({ [IDEMPOTENT_ACTIONS]: answer, [ONCE]: answer })]);
  };

  beforeAll(async () => {
    house = await openHouse();
    gateway = await house.join('gateway', []);
  });
  afterAll(() => house.close());
  beforeEach(() => void (underWay.length = 0));

  test('waits for calls that must not be retried elsewhere', async () => {
    const worker = await join('first');
    await knows(gateway, ONCE);
    const outcome = gateway.broker.call(ONCE, {});
    await until('it has begun', () => underWay[0]);
    const stopping = worker.broker.stop();
    await until('it takes no more', () => gateway.broker.registry.getActionEndpoints(ONCE)?.hasAvailable() !== true);
    underWay[0]?.open();
    expect(await outcome).toEqual({ node: 'first' });
    await stopping;
  });

  test('does not wait for retryable calls: another process runs them', async () => {
    const second = await join('second');
    await knows(gateway, IDEMPOTENT_ACTIONS);
    const outcome = gateway.broker.call(IDEMPOTENT_ACTIONS, {});
    await until('it has begun', () => underWay[0]);
    await join('third');
    await knows(gateway, IDEMPOTENT_ACTIONS, 2);
    await second.broker.stop();
    const again = await until('it has begun elsewhere', () => underWay[1]);
    again.open();
    expect(await outcome).toEqual({ node: 'third' });
  });
});
