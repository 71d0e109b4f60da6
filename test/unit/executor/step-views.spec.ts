import { compile, type NodeTypes, prepare, type PreparedStep, type WorkflowDocument } from '../../../dsl';
import type { Entry, StepEntry } from '../../../runtime/core/entries/entry';
import { runEvents } from '../../../services/executor/run-events';
import { type Include, stepView } from '../../../services/executor/step-views';

const nodeTypes: NodeTypes = new Map([
  ['ask', { type: 'ask', kind: 'work', inputSchema: { type: 'object' } }],
] as const);
const document = {
  id: 'flow',
  trigger: { type: 'manual' },
  steps: [{ id: 'each', type: 'foreach', config: { items: [1] }, steps: [{ id: 'a', type: 'ask' }] }],
};
const plan = prepare(compile(document as unknown as WorkflowDocument, nodeTypes));
const step = plan.byPath.get('each/steps/a') as PreparedStep;

const path = 'each/steps[3]/a';
const started: StepEntry = { kind: 'step.started', path, attempt: 1, at: 1_000, input: { q: 1 } };
const failed = (retryAt: number | null, more: object = {}): StepEntry => ({
  kind: 'step.failed',
  path,
  attempt: 1,
  at: 1_500,
  started: 1_000,
  error: { code: 'x', message: 'no' },
  retryAt,
  ...more,
});
const completed = (more: object = {}): StepEntry => ({
  kind: 'step.completed',
  path,
  attempt: 2,
  at: 3_000,
  started: 2_000,
  output: { v: 1 },
  ...more,
});
const noted = (key: string, more: object = {}): StepEntry => ({
  kind: 'step.noted',
  path,
  attempt: 1,
  at: 1_200,
  key,
  ...more,
});
const view = (entries: StepEntry[], ...includes: Include[]) => stepView({ path, step, entries }, new Set(includes));

describe('the record of a step', () => {
  it('has the item of the loop', () => {
    expect(view([])).toMatchObject({ step_id: 'a', path, iteration: 3, type: 'ask', status: 'pending', attempt: 0 });
  });

  it('has the last attempt, and on request the failed ones', () => {
    const history = [started, failed(2_000), completed()];
    expect(view(history)).toMatchObject({ status: 'completed', attempt: 2, duration_ms: 1_000, error: null });
    expect(view(history)).not.toHaveProperty('attempts');
    expect(view(history, 'attempts').attempts).toEqual([
      {
        attempt: 1,
        error: { code: 'x', message: 'no', step_id: 'a' },
        started_at: new Date(1_000).toISOString(),
        ended_at: new Date(1_500).toISOString(),
      },
    ]);
  });

  it('names the innermost failed step', () => {
    expect(view([failed(null, { culprit: 'each/steps[3]/b/cases.0/c' })]).error).toMatchObject({ step_id: 'c' });
  });

  it('adds the usage of the step and of its sub-steps', () => {
    const usage = { input_tokens: 5, cost_usd: 0.5 };
    const history = [
      started,
      noted('turn-1', { value: 1, usage }),
      completed({ usage: { ...usage, output_tokens: 2 } }),
    ];
    expect(view(history)).toMatchObject({ input_tokens: 10, output_tokens: 2, cost_usd: 1 });
    expect(view([started, completed()])).toMatchObject({ input_tokens: null, output_tokens: null, cost_usd: null });
  });

  it('has each sub-step once on request: as started or as finished', () => {
    const history = [started, noted('one'), noted('one', { at: 1_300, value: { v: 1 } }), noted('two')];
    expect(view(history, 'parts').parts).toEqual([
      { key: 'one', at: new Date(1_300).toISOString(), value: { v: 1 } },
      { key: 'two', at: new Date(1_200).toISOString() },
    ]);
  });

  it('has the log lines of all attempts on request', () => {
    const line = { at: 1_100, level: 'info', message: 'hello' } as const;
    const history = [failed(2_000, { logs: [line] }), completed({ logs: [{ ...line, data: { n: 1 } }] })];
    expect(view(history, 'logs').logs).toMatchObject([{ message: 'hello' }, { message: 'hello', data: { n: 1 } }]);
  });
});

describe('events of a stream', () => {
  const history: Entry[] = [
    { kind: 'step.opened', path: 'each', at: 1, opening: { kind: 'foreach', items: [1], concurrency: 1 } },
    started,
    noted('turn-1', { value: { secret: 'of the house' } }),
    completed(),
    { kind: 'loop.item', path: 'each', at: 1, index: 3, last: 'a' },
    { kind: 'run.closing', at: 1, status: 'failed', error: { code: 'x', message: 'no', step_id: 'a' } },
    { kind: 'run.ended', at: 1, status: 'failed', output: null, error: { code: 'x', message: 'no', step_id: 'a' } },
  ];

  it('are one per entry, in order, with the step type and the loop index', () => {
    const events = runEvents(plan, history, 10, 'tenant');
    expect(events.map(({ position }) => position)).toEqual([11, 12, 13, 14, 15, 16, 17]);
    expect(events.map(({ event }) => event)).toEqual(['step', 'step', 'step', 'step', 'step', 'status', 'end']);
    expect(events[0]?.data).toMatchObject({ step_id: 'each', type: 'foreach', iteration: null, status: 'running' });
    expect(events[1]?.data).toMatchObject({ step_id: 'a', type: 'ask', iteration: 3, input: { q: 1 } });
    expect(events[2]?.data).toMatchObject({ part: 'turn-1', value: { secret: 'of the house' } });
    expect(events[4]?.data).toMatchObject({ step_id: 'each', status: 'running', item: 3 });
    expect(events[5]?.data).toMatchObject({ status: 'running', closing: 'failed', error: { code: 'x' } });
  });

  it('have no input, output, sub-steps or error details for the public', () => {
    const events = runEvents(plan, history, 0, 'public');
    for (const { event, data } of events) {
      if (event === 'step')
        for (const member of ['input', 'output', 'part', 'value']) expect(data).not.toHaveProperty(member);
      else expect(data.error).toEqual({ code: 'execution_failed', message: 'The run failed' });
    }
  });
});
