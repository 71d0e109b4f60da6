import { createWorkflow, ended, trigger } from '../e2e/support/runs';
import { Cluster } from '../support/cluster';
import { describeWith } from '../support/daemons';
import { Ledger } from '../support/ledger';
import { Load, statuses } from '../support/load';
import { Api } from '../support/server';
import { eventually, MAX_WAIT_MS } from './support/eventually';
import { assertRecordedOnce } from './support/records';

/** Acceptance runs ask for 30 s. */
const DATABASE_AWAY_MS = Number(process.env.DATABASE_AWAY_SECONDS ?? 7) * 1_000;

interface Started {
  readonly execution_id?: string;
}

describeWith('nats', { own: true })('a cluster whose bus or database goes away for a while', () => {
  let cluster: Cluster;
  let ledger: Ledger;
  let api: Api;
  let load: Load<Started> | null = null;

  beforeAll(async () => {
    ledger = await Ledger.open();
    cluster = (await Cluster.start({ executors: 2 })) as Cluster;
    api = new Api(cluster.url);
    await api.register('outages');
  }, 120_000);

  afterEach(() => load?.stop());

  afterAll(async () => {
    ledger?.close();
    await cluster?.remove();
  });

  const wait = (ms: number): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, ms));

  it('loses no accepted run over a restart of NATS, and recovers by itself', async () => {
    const id = await createWorkflow(api, [
      ledger.step('one', { query: 'delay=50' }),
      { id: 'pause', type: 'wait', config: { for: '200ms' } },
      ledger.step('two'),
    ]);
    load = new Load(4, () => api.ask<Started>('POST', `/webhooks/${id}`, {}));
    const { outcomes } = load;
    await eventually('some are accepted', () => outcomes.length > 20);
    await cluster.nats.kill();
    const cut = performance.now();
    await eventually('requests are answered meanwhile', () => outcomes.some(({ began }) => began > cut + 200));
    await cluster.nats.restart();
    const back = performance.now();
    await eventually('a start is accepted again', () =>
      outcomes.some(({ began, status }) => began > back && status === 202),
    );
    const sync = async (): Promise<boolean> => (await api.ask('POST', `/webhooks/${id}/sync`, {})).status === 200;
    await eventually('a caller who waits is answered', sync);
    process.stdout.write(`after a restart of NATS all works again in ${Math.round(performance.now() - back)} ms\n`);
    await load.stop();

    expect(Object.keys(statuses(outcomes)).filter((status) => !['202', '503'].includes(status))).toEqual([]);
    const accepted = outcomes.flatMap(({ body }) => body.execution_id ?? []);
    for (const run of accepted) expect((await ended(api, run, MAX_WAIT_MS)).status).toBe('completed');
    await assertRecordedOnce(cluster.db, ledger, accepted);
  }, 120_000);

  it('keeps accepted work while the database is silent, and refuses new work with a time to try again', async () => {
    const id = await createWorkflow(api, [
      ledger.step('one', { query: 'delay=300' }),
      { id: 'pause', type: 'wait', config: { for: '500ms' } },
      ledger.step('two'),
    ]);
    const runs = await Promise.all(Array.from({ length: 20 }, () => trigger(api, id)));
    cluster.store.pause();
    const silent = performance.now();
    try {
      await wait(Math.min(2_000, DATABASE_AWAY_MS / 2));
      const began = performance.now();
      const refused = await api.ask('POST', `/webhooks/${id}`, {});
      process.stdout.write(`without a database: ${refused.status} after ${Math.round(performance.now() - began)} ms\n`);
      expect(refused.status).toBe(503);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      await wait(DATABASE_AWAY_MS - (performance.now() - silent));
    } finally {
      cluster.store.resume();
    }
    for (const run of runs) expect((await ended(api, run, MAX_WAIT_MS)).status).toBe('completed');
    await eventually(
      'starts are accepted again',
      async () => (await api.ask('POST', `/webhooks/${id}`, {})).status === 202,
    );
    await assertRecordedOnce(cluster.db, ledger, runs);
  }, 150_000);
});
