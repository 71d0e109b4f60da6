import { ComputePool } from '../../../../lib/compute';
import type { JsonObject } from '../../../../lib/json';
import type { Outcome } from '../../../../nodes/contract';
import { sortNode } from '../../../../nodes/data/sort';
import { templateNode } from '../../../../nodes/data/template';
import { BARE_CAPABILITIES, createContext } from '../context';

const pool = new ComputePool();
afterAll(() => pool.close());

/** The outcome, and how many tasks it took. */
async function runCounted(run: typeof sortNode.run, input: JsonObject): Promise<{ outcome: Outcome; tasks: number }> {
  let tasks = 0;
  const lane = pool.lane('acme');
  const compute: typeof lane = {
    run: (task, value, options) => {
      tasks += 1;
      return lane.run(task, value, options);
    },
  };
  const outcome = await run(createContext(input, [], { capabilities: { ...BARE_CAPABILITIES, compute } }));
  return { outcome, tasks };
}

const descending = (count: number): number[] => Array.from({ length: count }, (_, index) => count - index);

describe('a node that computes', () => {
  it('processes small input on the thread of its run', async () => {
    expect(await runCounted(sortNode.run, { items: [2, 1] })).toEqual({
      outcome: { kind: 'done', output: { items: [1, 2], count: 2 } },
      tasks: 0,
    });
  });

  it('processes large input on another thread, with the same result', async () => {
    const { outcome, tasks } = await runCounted(sortNode.run, { items: descending(20_000) });
    expect(outcome).toEqual({ kind: 'done', output: { items: descending(20_000).reverse(), count: 20_000 } });
    expect(tasks).toBe(1);
  });

  it('moves to another thread when small input needs much work', async () => {
    const list = descending(30);
    const template = '<%#l%><%#l%><%#l%>x<%/l%><%/l%><%/l%>';
    const { outcome, tasks } = await runCounted(templateNode.run, { template, data: { l: list } });
    expect(outcome).toEqual({ kind: 'done', output: { text: 'x'.repeat(30 ** 3) } });
    expect(tasks).toBe(1);
  });

  it('is refused there with the same error', async () => {
    const template = `${' '.repeat(20_000)}<%#l%>`;
    const { outcome } = await runCounted(templateNode.run, { template });
    expect(outcome).toMatchObject({ kind: 'fail', error: { code: 'invalid_config' }, retryable: false });
  });
});
