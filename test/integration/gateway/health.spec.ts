import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { type ServiceFactory, startApp, type StartOptions, type TestApp } from '../../support/app';
import { type Daemon, describeWith, startOwnRedis } from '../../support/daemons';
import { until } from '../../support/until';
import { fakes } from './support/fakes';

const apps: TestApp[] = [];

afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
});

const start = async (services: readonly ServiceFactory[], more: Omit<StartOptions, 'services'> = {}) => {
  const app = await startApp({ services, ...more });
  apps.push(app);
  return app;
};

const NEEDED = fakes({ 'auth.verify': refuse, 'workflows.startable': refuse, 'executions.get': refuse });

const host = (ready: boolean, asked: () => void = () => undefined): ServiceFactory[] =>
  fakes({
    'executor.ready': () => {
      asked();
      return { ready, running: 0, reason: ready ? null : 'no lease' };
    },
  });

const readiness = async (app: TestApp): Promise<{ status: number; body: unknown }> => {
  const response = await fetch(`${app.url}/health/ready`);
  return { status: response.status, body: await response.json() };
};

test('a process that needs nothing more is ready', async () => {
  const app = await start([apiGatewayService, ...NEEDED, ...host(true)]);
  expect(await readiness(app)).toEqual({ status: 200, body: { status: 'ready' } });
});

test('a host of runs that takes no work here makes its process unready', async () => {
  const app = await start([apiGatewayService, ...NEEDED, ...host(false)]);
  expect(await readiness(app)).toMatchObject({
    status: 503,
    body: { status: 'unavailable', missing: ['executor'], error: 'Not ready: executor: no lease' },
  });
});

test('a host of runs elsewhere is not asked', async () => {
  const asked = jest.fn();
  const joined = { transporter: 'Fake', namespace: 'health' };
  const gateway = await start([apiGatewayService, ...NEEDED], joined);
  await start(host(false, asked), joined);
  await until('the host is known', () =>
    gateway.broker.registry.getActionList({ onlyAvailable: true }).some(({ name }) => name === 'executor.ready'),
  );
  expect(await readiness(gateway)).toEqual({ status: 200, body: { status: 'ready' } });
  expect(asked).not.toHaveBeenCalled();
});

describeWith('redis', { own: true })('with a Redis', () => {
  let redis: Daemon;

  beforeAll(async () => {
    redis = (await startOwnRedis()) as Daemon;
  });

  afterAll(() => redis?.stop());

  test('that is lost, a gateway is ready, and says what is worse than it should be', async () => {
    const app = await start([apiGatewayService, ...NEEDED], { env: { REDIS_URL: redis.url } });
    await until('Redis is used', () => app.app.shared?.unavailableReason === null);
    expect(await readiness(app)).toEqual({ status: 200, body: { status: 'ready' } });
    await redis.kill();
    await until('the loss is noticed', () => app.app.shared?.unavailableReason !== null);
    expect(await readiness(app)).toEqual({
      status: 200,
      body: {
        status: 'ready',
        degraded: [{ name: 'redis', reason: expect.stringMatching(/^(timeout|unreachable|connection lost)/) }],
      },
    });
    await redis.restart();
    await until('Redis is used again', () => app.app.shared?.unavailableReason === null);
    expect(await readiness(app)).toEqual({ status: 200, body: { status: 'ready' } });
  });
});

/** Health asks whether the services are there, and nothing of them. */
function refuse(): never {
  throw new Error('Not to be called');
}
