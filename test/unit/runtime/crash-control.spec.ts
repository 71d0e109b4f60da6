import type { Json, JsonObject } from '../../../lib/json';
import { CANCEL } from '../../../runtime/core/state/state';
import { describeCrashes, type Scenario } from '../../support/runtime/crashes';
import { partsNode } from '../../support/runtime/parts';
import type { World } from '../../support/runtime/world';

const set = (id: string, config: JsonObject): Json => ({ id, type: 'set', config });
const effect = (id: string, config: JsonObject = {}, more: JsonObject = {}): Json => ({
  id,
  type: 'effect',
  config,
  ...more,
});
const foreach = (id: string, items: Json, steps: Json[], concurrency = 1, more: JsonObject = {}): Json => ({
  id,
  type: 'foreach',
  config: { items, concurrency },
  steps,
  ...more,
});
const parallel = (id: string, branches: Record<string, Json[]>, more: JsonObject = {}): Json => ({
  id,
  type: 'parallel',
  branches: Object.entries(branches).map(([name, steps]) => ({ id: name, steps })),
  ...more,
});
const fails = (world: World, path: string): void =>
  void world.answers.set(path, () => ({ kind: 'fail', error: { code: 'c', message: 'm' }, retryable: false }));
/** Fails only in the first of two runs: the failed step succeeds in the repetition. */
const failsAtFirst = (world: World, path: string): void =>
  void world.answers.set(path, (n) =>
    n === 1 ? { kind: 'fail', error: { code: 'c', message: 'm' }, retryable: false } : { kind: 'done', output: {} },
  );
const withParts = (world: World): void => void world.more.set('parts', partsNode(world));

const SCENARIOS: Scenario[] = [
  {
    title: 'loops, branches and tries within each other',
    steps: [
      foreach(
        'each',
        [1, 2, 3],
        [
          {
            id: 'odd',
            type: 'branch',
            cases: [{ when: '{{ loop.item % 2 == 1 }}', steps: [effect('a', { v: '{{ loop.item }}' })] }],
            else: [set('b', { v: 0 })],
          },
          {
            id: 'turns',
            type: 'while',
            config: { condition: '{{ loop.index < 2 }}' },
            steps: [
              {
                id: 'safe',
                type: 'try',
                steps: [effect('c')],
                catch: [set('d', { e: '{{ error.code }}' })],
                finally: [effect('e')],
              },
            ],
          },
          set('sum', { v: '{{ (steps.a.v ?? steps.b.v) + steps.turns.iterations }}' }),
        ],
        2,
      ),
    ],
    prepare: (world) => fails(world, 'each/steps[1]/turns/steps.0/safe/steps/c'),
    atOnce: 2,
  },
  {
    title: 'a diamond of effects',
    steps: [
      effect('top'),
      effect('left', { v: '{{ steps.top.effect }}' }, { needs: ['top'] }),
      effect('right', {}, { needs: ['top'] }),
      set('bottom', { l: '{{ steps.left.v }}', r: '{{ steps.right.effect }}' }),
    ].map((step, index) => (index < 3 ? step : { ...(step as JsonObject), needs: ['left', 'right'] })),
    atOnce: 2,
  },
  {
    title: 'a race, whose loser has something to do finally',
    steps: [
      parallel(
        'race',
        {
          slow: [
            {
              id: 'safe',
              type: 'try',
              steps: [{ id: 'w', type: 'wait', config: { for: '1h' } }],
              finally: [effect('f')],
            },
          ],
          fast: [effect('a'), effect('b')],
        },
        { wait: 'any' },
      ),
      effect('z'),
    ],
  },
  {
    status: 'failed',
    title: 'compensation after a failure, and steps for the error',
    steps: [
      effect('a', {}, { compensate: [effect('ua', { v: '{{ steps.a.effect }}' })] }),
      foreach(
        'each',
        [1, 2],
        [
          effect(
            'b',
            { v: '{{ loop.item }}' },
            { compensate: [effect('ub', { v: '{{ steps.b.v }}' }), set('x', { v: 1 })] },
          ),
        ],
      ),
      {
        id: 'safe',
        type: 'try',
        steps: [effect('c'), { id: 'f', type: 'fail', config: { message: 'no', code: 'nope' } }],
        finally: [effect('d')],
      },
    ],
    rest: { on_error: [effect('tell', { code: '{{ error.code }}' })] },
  },
  {
    status: 'cancelled',
    title: 'compensation after a cancellation',
    steps: [
      effect('a', {}, { compensate: [effect('ua')] }),
      {
        id: 'safe',
        type: 'try',
        steps: [{ id: 'ok', type: 'approval', config: { message: 'Go?' } }],
        finally: [effect('f')],
      },
    ],
    mail: {
      when: (execution) => execution?.waiting[0]?.kind === 'approval',
      mail: { id: CANCEL, name: CANCEL, data: {}, by: null },
    },
  },
  {
    title: 'approvals in a loop',
    steps: [
      foreach(
        'each',
        ['x', 'y', 'z'],
        [effect('a'), { id: 'ok', type: 'approval', config: { message: '{{ loop.item }}?' } }],
        2,
      ),
      set('end', { all: '{{ map_field(steps.each.results, "approved") }}' }),
    ],
    replies: {
      'approve-ok.0': { approved: true },
      'approve-ok.1': { approved: false },
      'approve-ok.2': { approved: true },
    },
    atOnce: 2,
  },
  {
    title: 'a step that notes its parts, and waits between them',
    steps: [
      foreach(
        'each',
        ['x'],
        [
          {
            id: 'p',
            type: 'parts',
            config: {
              parts: [
                { do: 'one' },
                { wait: 'w', for: 20_000 },
                { do: 'two' },
                { ask: 'q' },
                { call: 'c', workflow: 'other' },
                { do: 'three' },
              ],
            },
          },
        ],
      ),
      effect('z'),
    ],
    prepare: withParts,
    others: { other: [effect('inner')] },
    replies: Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((attempt) => [`approve-p.0#${attempt}`, { approved: true }])),
  },
  {
    title: 'children in a loop, one of which fails, and the others are not wanted any more',
    steps: [
      {
        id: 'safe',
        type: 'try',
        steps: [
          foreach(
            'each',
            ['good', 'bad'],
            [{ id: 'call', type: 'sub_workflow', config: { workflow: '{{ loop.item }}', input: {} } }],
            2,
          ),
        ],
        catch: [effect('c', { who: '{{ error.step_id }}' })],
      },
    ],
    others: {
      good: [effect('g'), { id: 'ok', type: 'approval', config: { message: 'Go?' } }],
      bad: [
        { id: 'w', type: 'wait', config: { for: '20s' } },
        { id: 'f', type: 'fail', config: { message: 'no' } },
      ],
    },
  },
  {
    title: 'a failed loop that is repeated',
    steps: [
      foreach('each', [1, 2, 3], [effect('a', { v: '{{ loop.item }}' }), effect('b', { v: '{{ steps.a.v }}' })]),
      effect('z'),
    ],
    prepare: (world) => failsAtFirst(world, 'each/steps[1]/b'),
    retryFrom: null,
  },
  {
    title: 'a failed run that is repeated, of which a part was undone',
    steps: [effect('a', {}, { compensate: [effect('ua')] }), effect('b'), effect('c')],
    prepare: (world) => failsAtFirst(world, 'c'),
    retryFrom: null,
  },
  {
    title: 'a loop that takes too long',
    steps: [
      foreach('each', [1, 2], [{ id: 'w', type: 'wait', config: { for: '1h' } }], 2, {
        timeout: '30s',
        on_error: 'continue',
      }),
      effect('z', { why: '{{ steps.each.error.code }}' }),
    ],
  },
];

describeCrashes(SCENARIOS);
