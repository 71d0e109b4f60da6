import type { ExecutionView } from '../../contracts/executions/views';
import { until } from '../support/until';
import { killableServer } from './support/killable-server';

const STARTS = 60;
const KILLS = 3;

describe('a server that is killed while starts are gathered', () => {
  const server = killableServer('batch');

  it('loses none of them, and takes none twice', async () => {
    const { api } = server;
    const workflow = async (rest: object, set: object) => {
      const steps = [{ id: 'all', type: 'set', config: set }];
      const dsl = { id: 'flow', trigger: { type: 'http' }, ...rest, steps };
      return (await api.call<{ id: string }>('POST', '/api/v1/workflows', { name: 'Flow', dsl })).id;
    };
    const batched = await workflow(
      { batch: { max_size: 7, period: '2s' } },
      { all: '{{ map_field(map_field(trigger.events, "body"), "n") }}' },
    );
    const debounced = await workflow({ debounce: { period: '2s', max_wait: '1m' } }, { n: '{{ trigger.body.n }}' });
    /** Sends the start until it is answered, as a provider that has an id for each event does. */
    const start = (id: string, n: number): Promise<string> =>
      until(
        `start ${n} is answered`,
        async () => {
          const response = await fetch(`${server.url}/webhooks/${id}`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', 'idempotency-key': `n-${n}` },
            body: JSON.stringify({ n }),
          }).catch(() => null);
          if (response?.status !== 202) return null;
          return ((await response.json()) as { execution_id: string }).execution_id;
        },
        60_000,
      );
    const answers: string[] = [];
    const kills = [...Array(KILLS).keys()].map((kill) => Math.floor(((kill + 1) * STARTS) / (KILLS + 1)));
    for (let n = 0; n < STARTS; n += 3) {
      const sending = [n, n + 1, n + 2].map((each) => start(batched, each));
      if (kills.some((kill) => kill >= n && kill < n + 3)) {
        await server.killAndRestart();
      }
      answers.push(...(await Promise.all(sending)));
      await start(debounced, n);
    }
    const ended = (id: string) =>
      until(
        `run ${id} has ended`,
        async () => {
          const run = await api.call<ExecutionView>('GET', `/api/v1/executions/${id}`);
          return run.status === 'running' ? null : run;
        },
        60_000,
      );
    const ids = [...new Set(answers)];
    const outputs = await Promise.all(ids.map(async (id) => (await ended(id)).output as { all: number[] }));
    for (const { all } of outputs) expect(all.length).toBeLessThanOrEqual(7);
    expect(outputs.flatMap(({ all }) => all).sort((a, b) => a - b)).toEqual(
      Array.from({ length: STARTS }, (_, n) => n),
    );
    for (const [n, id] of answers.entries()) expect(outputs[ids.indexOf(id)]?.all).toContain(n);
    const listed = async (id: string) =>
      (await api.call<{ data: ExecutionView[] }>('GET', `/api/v1/executions?workflow_id=${id}&limit=100`)).data;
    expect((await listed(batched)).map(({ id }) => id).sort()).toEqual(ids.toSorted());
    const last = (await listed(debounced))[0] as ExecutionView;
    expect((await ended(last.id)).output).toEqual({ n: STARTS - 3 });
  }, 240_000);
});
