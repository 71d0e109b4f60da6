import { createWorkflow, ended, getRun, trigger } from '../e2e/support/runs';
import { Cluster } from '../support/cluster';
import { describeWith } from '../support/daemons';
import { Ledger } from '../support/ledger';
import { Load, statuses } from '../support/load';
import type { Part } from '../support/part';
import { Api } from '../support/server';
import { StreamClient } from '../support/sse-client';
import { eventually, MAX_WAIT_MS } from './support/eventually';
import { assertRecordedOnce } from './support/records';

/** A lease of 4 s, a quarter of it until the next sweep for the dead, and a second for the rest. */
const ELSEWHERE_MS = 6_000;
/** Time that the work itself takes afterwards, on a busy test machine. */
const SLACK_MS = 1_500;
/** The target is half a second; on a busy test machine it matters only that no lease had to expire. */
const AT_ONCE_MS = 1_500;

describeWith('nats', { own: true })('a cluster of two gateways, some of whose processes end', () => {
  let cluster: Cluster;
  let ledger: Ledger;
  let api: Api;
  let load: Load<unknown> | null = null;

  beforeAll(async () => {
    ledger = await Ledger.open();
    cluster = (await Cluster.start({ executors: 2, gateways: 2 })) as Cluster;
    api = new Api(cluster.url);
    await api.register('deaths');
  }, 120_000);

  // Two of each, whatever processes the test before has ended.
  beforeEach(async () => {
    while (cluster.liveExecutors.length < 2) await cluster.addExecutor();
    while (cluster.urls.length < 2) await cluster.addGateway();
    api.url = cluster.url;
  }, 90_000);

  afterEach(() => load?.stop());

  afterAll(async () => {
    ledger?.close();
    await cluster?.remove();
  });

  const hasRun = (part: Part) => async (): Promise<boolean> => {
    const hosts = cluster.db.collection<{ _id: string; node_id: string }>('hosts');
    const host = await hosts.findOne({ node_id: part.name, state: 'alive' } as object);
    return (await cluster.db.collection('executions').findOne({ status: 'running', owner: host?._id ?? '-' })) !== null;
  };

  it('an executor that is asked to stop fails no request, and its runs go on elsewhere at once', async () => {
    const leaving = cluster.liveExecutors[0] as Part;
    const quick = await createWorkflow(api, [ledger.step('one', { query: 'delay=20' })], { output: { done: true } });
    const steady = await createWorkflow(api, [
      ledger.step('before'),
      { id: 'pause', type: 'wait', config: { for: '900ms' } },
      ledger.step('after'),
    ]);
    load = new Load(6, () => api.ask('POST', `/webhooks/${quick}/sync`, {}));
    const runs = await Promise.all(Array.from({ length: 20 }, () => trigger(api, steady)));
    await eventually('all are in their pause', () => runs.every((run) => ledger.of(run, 'before').length > 0));
    expect(await leaving.stop()).toBe(0);
    await eventually('all have gone on', () => runs.every((run) => ledger.of(run, 'after').length > 0));
    await Promise.all(runs.map((run) => ended(api, run, MAX_WAIT_MS)));
    const outcomes = await load.stop();

    expect(Object.keys(statuses(outcomes))).toEqual(['200']);
    const gaps = runs.map((run) => (ledger.of(run, 'after')[0]?.at ?? 0) - (ledger.of(run, 'before')[0]?.at ?? 0));
    process.stdout.write(`pause of 900 ms over an orderly stop: at most ${Math.max(...gaps)} ms\n`);
    expect(Math.max(...gaps)).toBeLessThan(900 + AT_ONCE_MS);
    const slowest = Math.max(...outcomes.map(({ tookMs }) => tookMs));
    process.stdout.write(`${outcomes.length} answers meanwhile, the slowest after ${Math.round(slowest)} ms\n`);
  }, 120_000);

  it('an executor that is killed loses no run, and every waiting caller is answered', async () => {
    const victim = cluster.liveExecutors[0] as Part;
    const steps = [ledger.step('one'), ledger.step('slow', { query: 'delay=600' }), ledger.step('last')];
    const id = await createWorkflow(api, steps, { output: { done: true } });
    const answers = Array.from({ length: 16 }, () => api.ask('POST', `/webhooks/${id}/sync`, {}));
    const starts = Array.from({ length: 10 }, () => trigger(api, id));
    await eventually('the victim has runs', hasRun(victim));
    await victim.kill();
    const killed = performance.now();

    expect((await Promise.all(answers)).map(({ status, body }) => ({ status, body }))).toEqual(
      answers.map(() => ({ status: 200, body: { done: true } })),
    );
    const runs = await Promise.all(starts);
    for (const run of runs) expect((await ended(api, run, MAX_WAIT_MS)).status).toBe('completed');
    process.stdout.write(
      `all of a killed executor's runs have ended ${Math.round(performance.now() - killed)} ms after\n`,
    );
    expect(performance.now() - killed).toBeLessThan(ELSEWHERE_MS + SLACK_MS);
    await assertRecordedOnce(cluster.db, ledger, runs);
  }, 120_000);

  it('a stream goes on over the death of the host, and over that of its gateway, without a gap or a repeat', async () => {
    const id = await createWorkflow(api, [
      ledger.step('one'),
      ledger.step('slow', { query: 'delay=1500' }),
      { id: 'pause', type: 'wait_for_signal', config: { signal: 'go' } },
      ledger.step('last'),
    ]);
    const run = await trigger(api, id);
    const stream = new StreamClient(() => cluster.url, `/api/v1/executions/${run}/stream`, api.token);
    try {
      await eventually('the slow step is under way', () => ledger.of(run, 'slow').length > 0);
      await eventually('the stream has sent the first step', () => stream.events.length > 0);
      await (await cluster.hostOf(run))?.kill();
      await eventually('the run waits', async () => (await getRun(api, run)).waiting.length > 0);
      const gateway = cluster.gateways.find(({ alive }) => alive) as Part;
      await gateway.kill();
      api.url = cluster.url;

      await api.call('POST', `/api/v1/executions/${run}/signal`, { signal: 'go', data: {} });
      await eventually('the stream ends', () => stream.ended);
      expect(stream.faults()).toEqual([]);
      expect(stream.connects).toBe(2);
      expect((await ended(api, run, MAX_WAIT_MS)).status).toBe('completed');
    } finally {
      stream.close();
    }
    await assertRecordedOnce(cluster.db, ledger, [run]);
  }, 120_000);

  it('a gateway that is asked to stop answers what it has, and the other one serves', async () => {
    const id = await createWorkflow(api, [ledger.step('held', { query: 'delay=800' })], { output: { done: true } });
    const leaving = cluster.gateways.find(({ alive }) => alive) as Part;
    const answers = Array.from({ length: 8 }, () => api.ask('POST', `/webhooks/${id}/sync`, {}));
    await eventually('all are under way', () => ledger.arrivals.filter(({ step }) => step === 'held').length >= 8);
    expect(await leaving.stop()).toBe(0);
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(answers.map(() => 200));
    api.url = cluster.url;
    expect((await api.ask('POST', `/webhooks/${id}/sync`, {})).status).toBe(200);
  }, 120_000);

  it('an executor that is paused for longer than its lease records nothing more, and comes back as another host', async () => {
    const still = cluster.liveExecutors[0] as Part;
    const id = await createWorkflow(api, [
      ledger.step('one'),
      ledger.step('slow', { query: 'delay=400' }),
      ledger.step('last'),
    ]);
    const runs: string[] = [];
    await eventually('it has runs', async () => {
      runs.push(...(await Promise.all(Array.from({ length: 4 }, () => trigger(api, id)))));
      return hasRun(still)();
    });
    still.pause();
    try {
      for (const run of runs) expect((await ended(api, run, MAX_WAIT_MS)).status).toBe('completed');
    } finally {
      still.resume();
    }
    const hosts = cluster.db.collection('hosts');
    await eventually(
      'it is back',
      async () => (await hosts.countDocuments({ node_id: still.name, state: 'alive' })) === 1,
    );
    await eventually('it takes work again', async () => {
      runs.push(await trigger(api, id));
      return hasRun(still)();
    });
    for (const run of runs) expect((await ended(api, run, MAX_WAIT_MS)).status).toBe('completed');
    await assertRecordedOnce(cluster.db, ledger, runs);
  }, 120_000);
});
