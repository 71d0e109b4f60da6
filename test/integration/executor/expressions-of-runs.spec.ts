import type { Json, JsonObject } from '../../../lib/json';
import { JournalReader } from '../../../services/executor/journal-reader';
import { openSite, type Site, type User } from './site';

let site: Site;
let ann: User;

beforeAll(async () => {
  site = await openSite();
  ann = await site.user();
});
afterAll(() => site?.close());

/** Steps whose outputs the probes keep. */
const READ = [
  'counter',
  'only_odd',
  'maybe',
  'letter',
  'both',
  'inner',
  'again',
  'turns',
  'done',
  'bad',
  'booked',
  'n',
];

/** A step whose output is what it saw; `loop` and `error` are there in some places alone. */
const probe = (id: string, ...roots: readonly ('loop' | 'error')[]): Json => ({
  id,
  type: 'set',
  config: {
    ids: '{{ sort(keys(steps)) }}',
    // A key that is made at run time may be of a step that cannot be seen.
    ...Object.fromEntries(READ.map((name) => [name, `{{ steps["" + "${name}"] ?? null }}`])),
    ...Object.fromEntries(roots.map((root) => [root, `{{ ${root} }}`])),
  },
});
const set = (id: string, config: JsonObject): Json => ({ id, type: 'set', config });
const failing = (id: string): Json => ({ id, type: 'fail', config: { message: `${id} fails`, code: 'oops' } });

/** Every construct in which steps see different data, with probes in each. */
const STEPS: Json[] = [
  probe('first'),
  set('counter', { n: 0 }),
  {
    id: 'turns',
    type: 'while',
    config: { condition: '{{ loop.index < 4 }}', max_iterations: 10 },
    steps: [
      probe('turn_begin', 'loop'),
      {
        id: 'odd',
        type: 'branch',
        cases: [{ when: '{{ loop.index % 2 == 1 }}', steps: [set('only_odd', { i: '{{ loop.index }}' })] }],
        else: [probe('only_even', 'loop')],
      },
      { id: 'maybe', type: 'set', if: '{{ loop.index != 2 }}', config: { i: '{{ loop.index }}' } },
      probe('turn_end', 'loop'),
    ],
  },
  {
    id: 'outer',
    type: 'foreach',
    config: { items: ['a', 'b', 'c'] },
    steps: [
      set('letter', { v: '{{ upper(loop.item) }}' }),
      {
        id: 'inner',
        type: 'foreach',
        config: { items: [1, 2] },
        steps: [set('both', { v: '{{ steps.letter.v + loop.item }}' }), probe('deep', 'loop')],
      },
      { id: 'again', type: 'while', config: { condition: '{{ loop.index < 2 }}' }, steps: [probe('in_while', 'loop')] },
      probe('after_inner', 'loop'),
    ],
  },
  {
    id: 'guard',
    type: 'try',
    steps: [set('done', { v: 1 }), failing('bad'), probe('never')],
    catch: [
      probe('caught', 'error'),
      { id: 'handled', type: 'fail', config: { message: 'x' }, on_error: [probe('own', 'error')] },
    ],
    finally: [probe('at_the_end', 'error')],
  },
  {
    id: 'sides',
    type: 'parallel',
    branches: [
      { id: 'left', steps: [probe('l1'), probe('l2')] },
      { id: 'right', steps: [{ id: 'later', type: 'wait', config: { for: '50ms' } }, probe('r1')] },
    ],
  },
  probe('last'),
];

const PROBES = [
  'first',
  'turn_begin',
  'only_even',
  'turn_end',
  'deep',
  'in_while',
  'after_inner',
  'caught',
  'own',
  'at_the_end',
  'l1',
  'l2',
  'r1',
  'last',
];

interface StepRow {
  readonly step_id: string;
  readonly path: string;
  readonly status: string;
  readonly output: JsonObject | null;
}

const addressOf = (path: string): string => {
  const loops = [...path.matchAll(/\/steps(?:\[(\d+)\]|\.(\d+))(?=\/)/g)].map(([, item, turn]) => item ?? turn);
  return [path.slice(path.lastIndexOf('/') + 1), ...loops].join('.');
};

async function probesOf(run: string): Promise<StepRow[]> {
  const { body } = await ann.request('GET', `/api/v1/executions/${run}/detail`);
  const rows = body.steps as unknown as StepRow[];
  return rows.filter(({ output, status }) => status === 'completed' && Array.isArray(output?.ids));
}

async function evaluated(run: string, step_id: string, expressions: readonly string[]): Promise<Json[]> {
  const items = expressions.map((expression) => ({ expression }));
  const context = { execution_id: run, step_id };
  const { status, body } = await ann.request('POST', '/api/v1/expressions/evaluate', { items, context });
  expect(status).toBe(200);
  return (body.results as { value: Json; error: { message: string } | null }[]).map(({ value, error }) =>
    error === null ? value : error.message,
  );
}

/** Compares what a probe saw when it ran with what evaluations in its place see: of all steps, and of single ones. */
async function expectSame(run: string, { path, output }: StepRow): Promise<void> {
  const saw = output as JsonObject;
  const names = Object.keys(saw);
  const expressionOf = (name: string): string =>
    name === 'ids' ? 'sort(keys(steps))' : ['loop', 'error'].includes(name) ? name : `steps["${name}"] ?? null`;
  const seen: Json[] = [];
  for (const name of names) seen.push(...(await evaluated(run, addressOf(path), [expressionOf(name)])));
  expect([path, seen]).toEqual([path, names.map((name) => saw[name])]);
}

it('every step of a run sees in evaluations what it saw when it ran', async () => {
  const run = await ann.run(await ann.workflow(STEPS));
  expect(run.error).toBeNull();
  const probes = await probesOf(run.id);
  expect(new Set(probes.map(({ step_id }) => step_id))).toEqual(new Set(PROBES));
  for (const row of probes) await expectSame(run.id, row);
});

it('handlers of the document and compensations see the error of the run', async () => {
  const steps = [
    { id: 'booked', type: 'set', config: { v: 1 }, compensate: [probe('undo', 'error')] },
    { id: 'many', type: 'while', config: { condition: '{{ loop.index < 3 }}' }, steps: [set('n', { v: 1 })] },
    failing('bad'),
  ];
  const run = await ann.run(await ann.workflow(steps as Json[], { on_error: [probe('notified', 'error')] }));
  const probes = await probesOf(run.id);
  expect(probes.map(({ step_id }) => step_id).sort()).toEqual(['notified', 'undo']);
  for (const row of probes) await expectSame(run.id, row);
});

it('an expression that names steps reads their outputs alone', async () => {
  const big = 'x'.repeat(150_000);
  const steps = [
    set('small', { v: 1 }),
    ...Array.from({ length: 4 }, (_, n) => set(`big${n}`, { v: '{{ trigger.big }}' })),
  ];
  const run = await ann.run(await ann.workflow(steps), { big });
  const read = jest.spyOn(JournalReader.prototype, 'withValues');
  const asked = async (expression: string): Promise<[Json, string[]]> => {
    read.mockClear();
    const [value = null] = await evaluated(run.id, 'none', [expression]);
    return [value, read.mock.calls.flatMap(([, stored]) => stored.map((entry) => ('path' in entry ? entry.path : '')))];
  };
  expect(await asked('length(trigger.big)')).toEqual([big.length, []]);
  expect(await asked('length(steps.big3.v) + steps.small.v')).toEqual([big.length + 1, ['small', 'big3']]);
  expect(await asked('length(keys(steps))')).toEqual([5, steps.map((step) => (step as { id: string }).id)]);
  read.mockRestore();
});
