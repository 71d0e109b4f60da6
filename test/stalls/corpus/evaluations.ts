import { type StallCase, stallCase } from '../case';
import type { Stage } from '../stage';
import { jsonRows, MIB } from './builders';

async function evaluate(stage: Stage, run: string, expressions: readonly string[], step?: string): Promise<void> {
  const items = expressions.map((expression) => ({ expression }));
  const context = { execution_id: run, ...(step === undefined ? {} : { step_id: step }) };
  await stage.send('POST', '/api/v1/expressions/evaluate', JSON.stringify({ items, context }), { statuses: [200] });
}

/** Expressions that are evaluated with the data of a run. */
export const evaluations: readonly StallCase[] = [
  stallCase('evaluate: members of an output of 9 MB, all of it, and all outputs', async (stage) => {
    const url = stage.serve(jsonRows(9 * MIB));
    const { id } = await stage.flow([
      { id: 'it', type: 'http_request', config: { url } },
      { id: 'small', type: 'set', config: { a: 1 } },
    ]);
    await evaluate(stage, id, ['steps.it.body[0].id', 'length(steps.it.body)', 'steps.it', 'keys(steps)', 'steps']);
  }),
  stallCase('evaluate: steps of a loop over 10,000 items, at its first and last one', async (stage) => {
    const steps = [
      { id: 'before', type: 'set', config: { a: 1 } },
      {
        id: 'each',
        type: 'foreach',
        config: { items: '{{ range(10000) }}' },
        steps: [
          { id: 'one', type: 'set', config: { n: '{{ loop.item }}' } },
          { id: 'two', type: 'set', config: { n: '{{ steps.one.n }}' } },
        ],
      },
    ];
    const { id } = await stage.flow(steps);
    for (const step of ['two', 'two.9999', 'nowhere', undefined])
      await evaluate(stage, id, ['keys(steps)', 'steps.before.a', 'exists(steps.one)'], step);
    await evaluate(stage, id, ['loop.item', 'steps.one.n'], 'two.9999');
  }),
  stallCase('evaluate: steps of a while with 5,000 turns', async (stage) => {
    const steps = [
      {
        id: 'turns',
        type: 'while',
        config: { condition: '{{ loop.index < 5000 }}', max_iterations: 5_000 },
        steps: [{ id: 'one', type: 'set', config: { n: '{{ loop.index }}' } }],
      },
    ];
    const { id } = await stage.flow(steps);
    for (const step of ['one', 'one.4999', undefined]) await evaluate(stage, id, ['steps', 'steps.one.n'], step);
  }),
];
