import type { Model } from 'mongoose';
import type { SharedState } from '../../../lib/redis/shared-state';
import { secretsService } from '../../../services/secrets/secrets.service';
import { workflowsService } from '../../../services/workflows/workflows.service';
import { type Actor, openTestDatabase, startApp, type TestApp, type TestDatabase } from '../../support/app';
import { type Daemon, describeWith, startOwnRedis } from '../../support/daemons';
import { ManualClock } from '../../support/manual-clock';
import { until } from '../../support/until';
import { document, FakeAuth, FakeExecutor } from '../workflows/fakes';

const actor: Actor = { tenant_id: 'tenant-1', user_id: 'user-1', role: 'owner' };
const service: Actor = { tenant_id: 'tenant-1', role: 'service' };

/** Two processes with one database and one Redis. Time stands still, so nothing grows too old in memory by itself. */
describeWith('redis', { own: true })('what a start must know of a workflow, on two hosts', () => {
  let redis: Daemon;
  let database: TestDatabase;
  const auth = new FakeAuth();
  const executor = new FakeExecutor();
  const apps: TestApp[] = [];
  let names = 0;

  beforeAll(async () => {
    [redis, database] = await Promise.all([startOwnRedis() as Promise<Daemon>, openTestDatabase()]);
  });

  afterEach(async () => {
    for (const app of apps.splice(0)) await app.close();
  });

  afterAll(async () => {
    await database?.close();
    await redis?.stop();
  });

  const startTwo = async (bus: 'joined' | 'apart'): Promise<{ one: TestApp; other: TestApp; clock: ManualClock }> => {
    const namespace = `startable-${names++}`;
    const clock = new ManualClock(Date.now());
    const start = async (): Promise<TestApp> => {
      const app = await startApp({
        services: [auth.service, executor.service, secretsService, workflowsService],
        database,
        env: { REDIS_URL: redis.url },
        clock,
        namespace,
        ...(bus === 'joined' ? { transporter: 'Fake' } : {}),
      });
      apps.push(app);
      await until('Redis is used', () => app.app.shared?.unavailableReason === null);
      return app;
    };
    const two = { one: await start(), other: await start(), clock };
    if (bus === 'joined') await until('they know each other', () => knows(two.one, two.other));
    return two;
  };

  const create = (app: TestApp) => app.call('workflows.create', { name: 'Sample', dsl: document() }, actor);
  const startable = (app: TestApp, id: string) => app.call('workflows.startable', { id }, service);
  const shared = (app: TestApp) => app.app.shared as SharedState;
  const isShared = (app: TestApp, id: string) => until('it is shared', () => shared(app).read(`startable:${id}`));

  test('what one has read, the other need not read from the database', async () => {
    const { one, other } = await startTwo('apart');
    const { id } = await create(one);
    const known = await startable(one, id);
    await isShared(one, id);
    const find = jest.spyOn(other.app.db.models.workflow as Model<unknown>, 'find');
    expect(await startable(other, id)).toEqual(known);
    expect(find).not.toHaveBeenCalled();
  });

  test('a workflow that is disabled on one is disabled on the other at once', async () => {
    const { one, other } = await startTwo('joined');
    const { id } = await create(one);
    await startable(one, id);
    await isShared(one, id);
    expect(await startable(other, id)).toMatchObject({ enabled: true });
    await one.call('workflows.disable', { id }, actor);
    expect(await startable(one, id)).toMatchObject({ enabled: false });
    await until('the other knows', async () => (await startable(other, id))?.enabled === false, 2_000);
  });

  test('a process that misses the event of a removal notices a second later', async () => {
    const { one, other, clock } = await startTwo('apart');
    const { id } = await create(one);
    await startable(one, id);
    await isShared(one, id);
    expect(await startable(other, id)).not.toBeNull();
    await one.call('workflows.remove', { id }, actor);
    clock.advance(1_000);
    expect(await startable(other, id)).toBeNull();
  });

  test('a value of another shape in Redis is ignored', async () => {
    const { one } = await startTwo('apart');
    const sound = await startable(one, (await create(one)).id);
    /** The name that is returned for a new workflow for which Redis has a value already. */
    const nameWith = async (damage: object): Promise<string | undefined> => {
      const { id } = await create(one);
      await shared(one).put(`startable:${id}`, JSON.stringify({ ...sound, id, name: 'From Redis', ...damage }), soon());
      return (await startable(one, id))?.name;
    };
    expect(await nameWith({})).toBe('From Redis');
    expect(await nameWith({ dedupes: undefined })).toBe('Sample');
    expect(await nameWith({ triggers: 'http' })).toBe('Sample');
    expect(await nameWith({ id: 'another' })).toBe('Sample');
  });
});

const knows = ({ broker }: TestApp, other: TestApp): boolean =>
  broker.registry
    .getServiceList({ onlyAvailable: true })
    .some(({ name, nodeID }) => name === 'workflows' && nodeID === other.broker.nodeID);

const soon = (): number => Date.now() + 60_000;
