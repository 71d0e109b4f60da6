import type { ExecutionView } from '../../contracts/executions/views';
import { until } from '../support/until';
import { killableServer } from './support/killable-server';

const STARTS = 8;
const PERIOD_MS = 2_000;

describe('a server that is killed while starts wait for their turns', () => {
  const server = killableServer('throttle');

  it('runs each of them once, and no more than it may in a period', async () => {
    const { api } = server;
    const dsl = {
      id: 'paced',
      trigger: { type: 'http' },
      throttle: { limit: 2, period: `${PERIOD_MS}ms` },
      steps: [{ id: 'at', type: 'set', config: { at: '{{ now() }}', n: '{{ trigger.body.n }}' } }],
    };
    const { id } = await api.call<{ id: string }>('POST', '/api/v1/workflows', { name: 'Paced', dsl });
    const runs: string[] = [];
    for (let n = 0; n < STARTS; n++) {
      const { execution_id } = await api.call<{ execution_id: string }>('POST', `/webhooks/${id}`, { n });
      runs.push(execution_id);
    }
    const get = (run: string) => api.call<ExecutionView>('GET', `/api/v1/executions/${run}`);
    const ended = async () => (await Promise.all(runs.map(get))).filter(({ status }) => status !== 'running');
    await until('the third run has ended', async () => (await ended()).length >= 3, 60_000);
    const before = (await ended()).length;
    await server.killAndRestart();
    expect(before).toBeLessThan(STARTS);
    const all = await until(
      'all runs have ended',
      async () => {
        const rows = await ended();
        return rows.length === STARTS ? rows : null;
      },
      60_000,
    );
    const outputs = all.map(({ output }) => output as { n: number; at: string });
    expect(outputs.map(({ n }) => n).sort((a, b) => a - b)).toEqual(Array.from({ length: STARTS }, (_, n) => n));
    const total = await api.call<{ data: unknown[] }>('GET', `/api/v1/executions?workflow_id=${id}&limit=100`);
    expect(total.data).toHaveLength(STARTS);
    const times = outputs.map(({ at }) => Date.parse(at)).sort((a, b) => a - b);
    // Four periods of two; a step begins a moment after its run was admitted.
    expect((times.at(-1) as number) - (times[0] as number)).toBeGreaterThan(3 * PERIOD_MS - 500);
  }, 180_000);
});
