import { compile, type WorkflowDocument } from '../../../dsl';
import { systemClock } from '../../../lib/clock';
import { SharedState } from '../../../lib/redis/shared-state';
import type { ServiceContext } from '../../../mixins/service';
import { Plans } from '../../../services/executor/plans';
import { describeWith, startRedis, type TestServer } from '../../support/daemons';
import { until } from '../../support/until';
import { document, nodeTypes, step } from '../../unit/dsl/support/documents';

describeWith('redis')('plans that hosts share', () => {
  let redis: TestServer;
  let shared: SharedState;

  beforeAll(async () => {
    redis = (await startRedis()) as TestServer;
    shared = new SharedState({ url: redis.url, namespace: `plans-${process.pid}`, log: { warn: () => undefined } });
    await until('Redis is used', () => shared.unavailableReason === null);
  });

  afterAll(async () => {
    shared?.close();
    await redis?.stop();
  });

  const plan = compile(document([step('a')]) as unknown as WorkflowDocument, nodeTypes);

  /** A host that counts how often it has to ask for a plan. */
  const host = () => {
    const plans = new Plans({ clock: systemClock, shared });
    const call = jest.fn(() => Promise.resolve(plan));
    const context = { call: call as unknown as ServiceContext['call'] };
    return { get: () => plans.get(context, 'tenant', plan.hash), call };
  };

  test('one host reads a plan once; another one finds it in Redis', async () => {
    const [one, other] = [host(), host()];
    await Promise.all([one.get(), one.get()]);
    expect((await one.get()).plan).toEqual(plan);
    expect(one.call).toHaveBeenCalledTimes(1);
    await until('it is shared', () => shared.read(`plan:${plan.hash}`));
    expect((await other.get()).plan).toEqual(plan);
    expect(other.call).not.toHaveBeenCalled();
  });
});
