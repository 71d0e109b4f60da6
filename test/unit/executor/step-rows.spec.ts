import { compile, type NodeTypes, prepare, type PreparedPlan, type WorkflowDocument } from '../../../dsl';
import type { Json } from '../../../lib/json';
import type { Entry } from '../../../runtime/core/entries/entry';
import type { RowSelection } from '../../../services/executor/step-rows';
import { indexOf, rowsOf } from '../../support/step-rows';

const nodeTypes: NodeTypes = new Map([
  ['set', { type: 'set', kind: 'work', inputSchema: { type: 'object' } }],
] as const);

const set = (id: string, more: object = {}): Json => ({ id, type: 'set', ...more });
const planOf = (steps: Json[], more: object = {}): PreparedPlan => {
  const document = { id: 'flow', trigger: { type: 'manual' }, steps, ...more };
  return prepare(compile(document as unknown as WorkflowDocument, nodeTypes));
};
const done = (path: string): Entry => ({
  kind: 'step.completed',
  path,
  attempt: 1,
  at: 1,
  started: 0,
  output: {},
});
const opened = (path: string): Entry => ({ kind: 'step.opened', path, at: 0, opening: { kind: 'while' } });
const paths = (plan: PreparedPlan, history: Entry[], selection: RowSelection = {}): string[] =>
  rowsOf(plan, history, selection).map(({ path }) => path);

const looping = planOf([
  set('first'),
  {
    id: 'each',
    type: 'foreach',
    config: { items: [1] },
    steps: [
      set('fetch'),
      { id: 'poll', type: 'while', config: { condition: '{{ true }}' }, steps: [set('check')] },
      set('last'),
    ],
  },
  set('after'),
]);

describe('rows of steps', () => {
  it('of a run that has not started are those of the plan, in the order of the document', () => {
    expect(paths(looping, [])).toEqual([
      'first',
      'each',
      'each/steps/fetch',
      'each/steps/poll',
      'each/steps/poll/steps/check',
      'each/steps/last',
      'after',
    ]);
  });

  it('of a started loop are one per item and iteration, in their order, without those that have not started', () => {
    const history = [
      done('first'),
      opened('each'),
      done('each/steps[10]/fetch'),
      done('each/steps[2]/fetch'),
      opened('each/steps[2]/poll'),
      done('each/steps[2]/poll/steps.1/check'),
      done('each/steps[2]/poll/steps.0/check'),
    ];
    expect(paths(looping, history)).toEqual([
      'first',
      'each',
      'each/steps[2]/fetch',
      'each/steps[2]/poll',
      'each/steps[2]/poll/steps.0/check',
      'each/steps[2]/poll/steps.1/check',
      'each/steps[10]/fetch',
      'after',
    ]);
  });

  it('of a loop without iterations are none', () => {
    expect(paths(looping, [opened('each'), done('each')])).toEqual(['first', 'each', 'after']);
  });

  it('include an item of which only a nested step is recorded', () => {
    const history = [opened('each'), done('each/steps[7]/poll/steps.3/check')];
    expect(paths(looping, history)).toContain('each/steps[7]/poll/steps.3/check');
  });

  it('include all blocks of a step, and those of the document for errors', () => {
    const plan = planOf(
      [
        set('pay', { compensate: [set('refund')], on_error: [set('tell')] }),
        { id: 'guard', type: 'try', steps: [set('risky')], catch: [set('note')], finally: [set('tidy')] },
        { id: 'big', type: 'branch', cases: [{ when: true, steps: [set('yes')] }], else: [set('no')] },
        {
          id: 'both',
          type: 'parallel',
          branches: [
            { id: 'l', steps: [set('left')] },
            { id: 'r', steps: [set('right')] },
          ],
        },
      ],
      { on_error: [set('mail')] },
    );
    expect(paths(plan, [])).toEqual([
      'pay',
      'pay/on_error/tell',
      'pay/compensate/refund',
      'guard',
      'guard/steps/risky',
      'guard/catch/note',
      'guard/finally/tidy',
      'big',
      'big/cases.0/yes',
      'big/else/no',
      'both',
      'both/branches.0/left',
      'both/branches.1/right',
      '.on_error/mail',
    ]);
  });

  it('of a try have no items, though its block is also called steps', () => {
    const plan = planOf([{ id: 'guard', type: 'try', steps: [set('risky')], finally: [] }]);
    expect(paths(plan, [opened('guard'), done('guard/steps/risky')])).toEqual(['guard', 'guard/steps/risky']);
  });
});

describe('a filter of rows', () => {
  const history = [opened('each'), ...[1, 2, 17].map((n) => done(`each/steps[${n}]/fetch`))];

  it('by step accepts a step id with all its items, or the name of one row', () => {
    expect(paths(looping, history, { step_id: 'fetch' })).toHaveLength(3);
    expect(paths(looping, history, { step_id: 'fetch.17' })).toEqual(['each/steps[17]/fetch']);
    expect(paths(looping, history, { step_id: 'unknown' })).toEqual([]);
  });

  it.each([
    ['each', 4],
    ['each/', 3],
    ['each/steps', 3],
    ['each/steps[1]', 1],
    ['each/steps[17]/fetch', 1],
    ['eac', 0],
    ['each/steps[1', 0],
  ])('by the path %j has %i rows', (path, count) => {
    expect(paths(looping, history, { path })).toHaveLength(count);
  });
});

it('rows of 10,000 items are computed quickly', () => {
  const history = [opened('each'), ...Array.from({ length: 10_000 }, (_, n) => done(`each/steps[${n}]/fetch`))];
  const before = performance.now();
  const rows = rowsOf(looping, history);
  expect(rows).toHaveLength(10_003);
  expect(rows[1 + 1 + 9_999]?.path).toBe('each/steps[9999]/fetch');
  expect(performance.now() - before).toBeLessThan(2_000);
});

describe('with collapsed loops', () => {
  const failed = (path: string): Entry => ({
    kind: 'step.failed',
    path,
    attempt: 1,
    at: 3,
    started: 1,
    error: { code: 'x', message: 'no' },
    retryAt: null,
  });
  const items: Entry = {
    kind: 'step.opened',
    path: 'each',
    at: 0,
    opening: { kind: 'foreach', items: [1, 2, 3], concurrency: 2 },
  };
  const history = [
    done('first'),
    items,
    done('each/steps[0]/fetch'),
    opened('each/steps[0]/poll'),
    done('each/steps[0]/poll/steps.0/check'),
    failed('each/steps[1]/fetch'),
    { kind: 'loop.item', path: 'each', at: 4, index: 0, last: null } as const,
  ];
  const collapsed = (parent?: string, more: RowSelection = {}) =>
    paths(looping, history, { loops: 'collapsed', ...(parent === undefined ? {} : { parent }), ...more });

  it('a run has a row for the loop and none for what is inside', () => {
    expect(collapsed()).toEqual(['first', 'each', 'after']);
  });

  it('the inside of a loop is listed by its path, item by item, and loops inside are collapsed, too', () => {
    expect(collapsed('each')).toEqual(['each/steps[0]/fetch', 'each/steps[0]/poll', 'each/steps[1]/fetch']);
    expect(collapsed('each/steps[1]')).toEqual(['each/steps[1]/fetch']);
    expect(collapsed('each/steps[0]/poll')).toEqual(['each/steps[0]/poll/steps.0/check']);
  });

  it('rows are selected by status, also those that have not begun', () => {
    expect(collapsed('each', { status: 'failed' })).toEqual(['each/steps[1]/fetch']);
    expect(collapsed(undefined, { status: 'pending' })).toEqual(['after']);
  });

  it('a parent that the plan does not have is refused', () => {
    expect(() => collapsed('nothing')).toThrow('nothing at nothing');
    expect(() => collapsed('first/steps[0]')).toThrow('nothing at');
  });

  it('a loop counts its items, and its steps by their last status', () => {
    const { loops } = indexOf(looping, [...history, done('each/steps[1]/fetch')]);
    expect(loops.get('each')).toMatchObject({ total: 3, ended: 1, numbers: new Set([0, 1]) });
    expect(Object.fromEntries(loops.get('each')?.steps ?? [])).toEqual({ completed: 2, failed: 0, running: 1 });
  });
});
