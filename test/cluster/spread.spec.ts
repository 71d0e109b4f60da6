import { createWorkflow, ended, getRun, trigger, waitingFor } from '../e2e/support/runs';
import { Cluster } from '../support/cluster';
import { describeWith } from '../support/daemons';
import { Ledger } from '../support/ledger';
import { percentile } from '../support/load';
import { Api } from '../support/server';
import { StreamClient } from '../support/sse-client';
import { eventually, MAX_WAIT_MS } from './support/eventually';

/** The target is tens of milliseconds; a test machine may be busy with other things. */
const SOON_MS = 1_000;

describeWith('nats', { own: true })('a cluster of one gateway and two executors', () => {
  let cluster: Cluster;
  let ledger: Ledger;
  let api: Api;

  beforeAll(async () => {
    ledger = await Ledger.open();
    cluster = (await Cluster.start({ executors: 2, env: { OPERATORS: 'owner@spread.example' } })) as Cluster;
    api = new Api(cluster.url);
    await api.register('spread');
  }, 120_000);

  afterAll(async () => {
    ledger?.close();
    await cluster?.remove();
  });

  /** Names of the executors that own runs now. */
  const busy = async (): Promise<string[]> => {
    const owners = await cluster.db.collection('executions').distinct('owner', { status: 'running' });
    const hosts = await cluster.db
      .collection<{ _id: string; node_id: string }>('hosts')
      .find({ _id: { $in: owners.filter((owner) => owner !== null) } })
      .toArray();
    return hosts.map((host) => host.node_id).sort();
  };

  it('runs executions on both, and answers who waits for them', async () => {
    const id = await createWorkflow(api, [ledger.step('one', { query: 'delay=500' })], { output: { by: 'the end' } });
    const answers = Array.from({ length: 20 }, () => api.call('POST', `/webhooks/${id}/sync`, {}));
    await eventually('both executors have runs', async () => (await busy()).length === 2);
    expect(await Promise.all(answers)).toEqual(Array.from({ length: 20 }, () => ({ by: 'the end' })));
  });

  it('gives work within two seconds to an executor that is added', async () => {
    const id = await createWorkflow(api, [ledger.step('one', { query: 'delay=100' })]);
    const added = await cluster.addExecutor();
    const began = performance.now();
    await eventually('the new one has a run', async () => {
      await trigger(api, id);
      return (await busy()).includes(added.name);
    });
    const took = performance.now() - began;
    process.stdout.write(`an added executor has work after ${Math.round(took)} ms\n`);
    expect(took).toBeLessThan(2_000);
  });

  it('wakes a waiting run by a signal, wherever it comes from, at once', async () => {
    const id = await createWorkflow(api, [{ id: 'pause', type: 'wait_for_signal', config: { signal: 'go' } }]);
    const times: number[] = [];
    for (let n = 0; n < 7; n++) {
      const run = await trigger(api, id);
      await waitingFor(api, run, 'signal');
      const began = performance.now();
      await api.call('POST', `/api/v1/executions/${run}/signal`, { signal: 'go', data: { n } });
      expect((await ended(api, run, MAX_WAIT_MS)).output).toEqual({ n });
      times.push(performance.now() - began);
    }
    process.stdout.write(`signal to end: median ${Math.round(percentile(times, 0.5))} ms\n`);
    expect(percentile(times, 0.5)).toBeLessThan(SOON_MS / 2);
  });

  it('cancels a run in the middle of a step, wherever it runs, at once', async () => {
    const id = await createWorkflow(api, [ledger.step('slow', { query: 'delay=20000' })]);
    const times: number[] = [];
    for (let n = 0; n < 5; n++) {
      const run = await trigger(api, id);
      await eventually('the step is under way', () => ledger.of(run).length > 0);
      const began = performance.now();
      await api.call('POST', `/api/v1/executions/${run}/cancel`);
      expect((await ended(api, run, MAX_WAIT_MS)).status).toBe('cancelled');
      times.push(performance.now() - began);
    }
    process.stdout.write(`cancel to end: median ${Math.round(percentile(times, 0.5))} ms\n`);
    expect(percentile(times, 0.5)).toBeLessThan(SOON_MS / 2);
  });

  it('streams a run from whichever host it is on, record by record', async () => {
    const id = await createWorkflow(api, [
      ledger.step('one'),
      { id: 'pause', type: 'wait', config: { for: '300ms' } },
      ledger.step('two'),
    ]);
    for (let n = 0; n < 4; n++) {
      const run = await trigger(api, id);
      const stream = new StreamClient(() => cluster.url, `/api/v1/executions/${run}/stream`, api.token);
      try {
        await eventually('the stream ends', () => stream.ended);
        expect(stream.faults()).toEqual([]);
        expect(stream.events.map(({ data }) => `${data.step_id} ${data.status}`)).toContain('two completed');
        const { ended_at } = (await getRun(api, run)) as unknown as { ended_at: string };
        expect((stream.events.at(-1)?.at ?? 0) - Date.parse(ended_at)).toBeLessThan(SOON_MS);
      } finally {
        stream.close();
      }
    }
  });

  it('tells an administrator that its executors are there', async () => {
    const { data } = await api.call<{ data: object[] }>('GET', '/api/v1/system/workers');
    expect(data).toEqual([{ id: 'executors', state: 'healthy', capacity_used: expect.any(Number) }]);
  });

  it('shows an operator each of its processes, and which of them was killed', async () => {
    const users = cluster.db.collection<{ email: string }>('users');
    await users.updateOne({ email: 'owner@spread.example' }, { $set: { email_verified_at: new Date() } });
    const hosts = async (): Promise<{ node_id: string; state: string; executor: { state: string } | null }[]> => {
      const answer = await api.ask<{ hosts: never[] }>('GET', '/api/v1/operator/hosts');
      return answer.status === 200 ? answer.body.hosts : [];
    };
    const found = await eventually('all answer', async () => {
      const rows = await hosts();
      return rows.length >= 3 && rows.every(({ state }) => state === 'alive') ? rows : null;
    });
    const executors = found.filter(({ executor }) => executor?.state === 'alive').map(({ node_id: id }) => id);
    expect(executors).toEqual(expect.arrayContaining(cluster.executors.map(({ name }) => name)));
    const [killed] = cluster.executors;
    await killed?.kill();
    await eventually('the killed one is gone', async () => {
      const row = (await hosts()).find(({ node_id: id }) => id === killed?.name);
      return row?.state === 'disconnected' && row.executor?.state === 'dead';
    });
    const others = (await hosts()).filter(({ node_id: id }) => id !== killed?.name);
    expect(others.map(({ state }) => state)).toEqual(others.map(() => 'alive'));
  });
});
