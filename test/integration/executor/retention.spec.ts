import type { JsonObject } from '../../../lib/json';
import { type ServiceContext, serviceContext } from '../../../mixins/service';
import type { Call, ResultOf } from '../../../contracts/catalogue';
import { Decisions } from '../../../services/executor/decisions';
import { Feedback } from '../../../services/executor/feedback';
import { Messages } from '../../../services/executor/messages';
import { Records } from '../../../services/executor/records';
import { Retention, type RetentionDeps } from '../../../services/executor/retention';
import { RunEndFeed } from '../../../services/executor/run-end-feed';
import { LeapingClock } from '../../support/leaping-clock';
import { codeOf, type House, openHouse } from './house';

const DAY_MS = 24 * 3_600_000;
const HISTORY_DAYS = 30;
/** The result of `turn` when nothing is left to do. */
const NOTHING_LEFT = 3_600_000;
const SET = { id: 'a', type: 'set', config: { v: 1 } };
const WAIT = { id: 'w', type: 'wait_for_signal', config: { signal: 'go' } };

let house: House;
let clock: LeapingClock;
let context: ServiceContext;
let deps: RetentionDeps;
/** The response of the billing service about an earlier plan; these tests have no billing service. */
let allowance: () => Promise<ResultOf<'billing.allowance'>>;

beforeEach(async () => {
  clock = new LeapingClock();
  house = await openHouse({ clock });
  const { app, broker } = house.t;
  const inside = serviceContext(app, broker, broker.getLogger('test'));
  const call = ((action, params, options) =>
    action === 'billing.allowance' ? allowance() : inside.call(action, params, options)) as Call;
  allowance = async () => ({ executions_per_month: 0, history_days: 0 });
  context = { ...inside, call };
  const runEnds = new RunEndFeed(app);
  runEnds.open(context);
  const records = new Records(app, runEnds);
  const messages = new Messages(app, records);
  messages.open(context);
  const { removals } = records;
  deps = { app, records, messages, feedback: new Feedback(app), decisions: new Decisions(app), removals, days: null };
});
afterEach(() => house.close());

/** Works until nothing is left, over all waits in between. */
async function work(retention = new Retention(deps), inside = context): Promise<void> {
  for (let turns = 0; turns < 100; turns++) {
    const pause = await retention.turn(inside);
    if (pause === NOTHING_LEFT) return;
    clock.leap(pause);
  }
  throw new Error('It does not come to an end');
}

const service = () => ({ tenant_id: house.ann.tenant_id, role: 'service' as const });
const run = async (steps: JsonObject[]): Promise<string> => {
  const { id } = await house.ended(await house.start(await house.workflow(steps)));
  return id;
};
const there = (id: string): Promise<boolean> =>
  house.get(id).then(
    () => true,
    () => false,
  );

/** The number of documents with the id, by collection. */
async function traces(id: string): Promise<Record<string, number>> {
  const count = (name: string, filter: object) => house.t.app.db.collection(name).countDocuments(filter);
  const own = { _id: { $gte: `${id}:`, $lt: `${id};` } };
  return {
    executions: await count('executions', { _id: id }),
    journal: await count('journal', own),
    signals: await count('signals', own),
    payloads: await count('payloads', own),
    feedback: await count('step_feedback', { execution_id: id }),
    files: await count('workspace_files', { execution_id: id }),
    removals: await count('run_removals', { 'runs.id': id }),
  };
}
const NO_TRACE = { executions: 0, journal: 0, signals: 0, payloads: 0, feedback: 0, files: 0, removals: 0 };

/** A run with something in every collection. */
async function rich(): Promise<string> {
  const big = { id: 'big', type: 'set', config: { v: 'x'.repeat(400_000) } };
  const write = { id: 'f', type: 'file_write', config: { path: 'a', content: 'x' } };
  const id = await house.start(await house.workflow([big, write, WAIT, SET]));
  await house.waiting(id);
  await house.t.call('executions.signal', { id, signal: 'go' }, house.ann);
  await house.ended(id);
  await house.t.call('executions.feedback', { id, step_id: 'a', rating: 'up' }, house.ann);
  return id;
}

describe('ended runs', () => {
  test('go with all that belongs to them when their history is over, and not before', async () => {
    const old = await rich();
    const before = await traces(old);
    expect(Object.entries(before).filter(([, n]) => n === 0)).toEqual([['removals', 0]]);
    clock.leap(HISTORY_DAYS * DAY_MS - 60_000);
    const young = await run([SET]);
    await work();
    expect(await traces(old)).toEqual(before);
    clock.leap(60_000);
    await work();
    expect(await traces(old)).toEqual(NO_TRACE);
    expect(await there(young)).toBe(true);
    expect(await house.t.app.db.collection('files.chunks').countDocuments()).toBe(0);
  });

  test('that were trials go after three days, whatever the plan says', async () => {
    const dsl = { id: 'd', trigger: { type: 'manual' }, steps: [SET] };
    const { id: trial } = await house.t.call('workflows.try', { dsl, wait: true }, house.ann);
    const other = await run([SET]);
    clock.leap(3 * DAY_MS - 60_000);
    await work();
    expect(await there(trial)).toBe(true);
    clock.leap(120_000);
    await work();
    expect(await traces(trial)).toEqual(NO_TRACE);
    expect(await there(other)).toBe(true);
  });

  test('stay counted: in the month, and in the figures of the day', async () => {
    const id = await run([SET]);
    const usage = () => house.t.call('executions.usage', {}, service());
    const month = await usage();
    const sum = async () => {
      clock.leap(31_000);
      const { data } = await house.t.call('executions.figures', { days: 90 }, service());
      return data.reduce(
        (all, { total, completed, steps }) => [total, completed, steps].map((n, i) => n + (all[i] as number)),
        [0, 0, 0],
      );
    };
    expect(await sum()).toEqual([1, 1, 1]);
    deps = { ...deps, days: 4 };
    clock.leap(5 * DAY_MS);
    await work();
    expect(await there(id)).toBe(false);
    expect(await sum()).toEqual([1, 1, 1]);
    if (new Date(clock.now()).getUTCMonth() === new Date(clock.now() - 6 * DAY_MS).getUTCMonth())
      expect(await usage()).toEqual(month);
  });

  test('stay while the plan before has a grace, and go when it is over', async () => {
    const id = await run([SET]);
    clock.leap((HISTORY_DAYS + 1) * DAY_MS);
    for (const history_days of [HISTORY_DAYS + 2, null]) {
      allowance = async () => ({ executions_per_month: 0, history_days });
      await work();
      expect(await there(id)).toBe(true);
    }
    allowance = async () => ({ executions_per_month: 0, history_days: 0 });
    await work();
    expect(await there(id)).toBe(false);
  });

  test('stay while it is unknown whether there is a grace period', async () => {
    const id = await run([SET]);
    clock.leap(HISTORY_DAYS * DAY_MS);
    allowance = () => Promise.reject(new Error('not available'));
    await expect(work()).rejects.toThrow('not available');
    expect(await traces(id)).toMatchObject({ executions: 1, removals: 0 });
    await work(new Retention({ ...deps, days: 4 }));
    expect(await there(id)).toBe(false);
  });

  test('stay without a limit when the operator configures that', async () => {
    const id = await run([SET]);
    clock.leap(4_000 * DAY_MS);
    await work(new Retention({ ...deps, days: 0 }));
    expect(await there(id)).toBe(true);
  });
});

describe('runs that go on', () => {
  test('stay, however long they wait, and have a whole history from their end', async () => {
    const waiting = await house.start(await house.workflow([WAIT]));
    await house.waiting(waiting);
    clock.leap(200 * DAY_MS);
    await work();
    await house.t.call('executions.signal', { id: waiting, signal: 'go' }, house.ann);
    expect((await house.ended(waiting)).status).toBe('completed');
    clock.leap((HISTORY_DAYS - 1) * DAY_MS);
    await work();
    expect(await there(waiting)).toBe(true);
    clock.leap(DAY_MS);
    await work();
    expect(await there(waiting)).toBe(false);
  });

  test('keep the runs that they were started by, have started, or repeat', async () => {
    const child = await house.workflow([WAIT]);
    const parent = await run([{ id: 's', type: 'sub_workflow', config: { workflow: child, wait: false } }]);
    const brief = await house.workflow([SET]);
    const caller = await house.start(
      await house.workflow([{ id: 's', type: 'sub_workflow', config: { workflow: brief } }, WAIT]),
    );
    await house.waiting(caller);
    const failing = await house.workflow([
      SET,
      WAIT,
      { id: 'f', type: 'fail', config: { message: 'no' }, if: '{{ trigger.bad }}' },
    ]);
    const failed = await house.start(failing, { bad: true });
    await house.waiting(failed);
    await house.t.call('executions.signal', { id: failed, signal: 'go' }, house.ann);
    await house.ended(failed);
    const again = (await house.t.call('executions.retry', { id: failed, from_step: 'w' }, house.ann)).id;
    await house.waiting(again);
    const all = async (): Promise<string[]> => {
      const { data } = await house.t.call('executions.list', { limit: 200 }, house.ann);
      return data.map(({ id }) => id).toSorted();
    };
    const before = await all();
    expect(before).toHaveLength(6);
    clock.leap(100 * DAY_MS);
    await work();
    expect(await all()).toEqual(before);
    for (const id of before) {
      if ((await house.get(id)).status === 'running')
        await house.t.call('executions.signal', { id, signal: 'go' }, house.ann);
      await house.ended(id);
    }
    // Those that were kept for the others go with the next pass, which the others outlive.
    await work();
    expect((await all()).includes(parent)).toBe(false);
    clock.leap(HISTORY_DAYS * DAY_MS);
    await work();
    expect(await all()).toEqual([]);
  });

  test('keep a run that was repeated just before it was announced; after that it is not repeated any more', async () => {
    const flow = await house.workflow([WAIT, { id: 'f', type: 'fail', config: { message: 'no' } }]);
    const ids = await Promise.all([1, 2].map(() => house.start(flow)));
    for (const id of ids) {
      await house.waiting(id);
      await house.t.call('executions.signal', { id, signal: 'go' }, house.ann);
      await house.ended(id);
    }
    const [kept, gone] = ids as [string, string];
    clock.leap(HISTORY_DAYS * DAY_MS);
    const retention = new Retention(deps);
    expect(await retention.turn(context)).toBe(0);
    expect(await codeOf(house.t.call('executions.retry', { id: gone }, house.ann))).toBe('not_found');
    // A retry that passed this check before, and is stored only now.
    const has = jest
      .spyOn(Object.getPrototypeOf(deps.removals) as typeof deps.removals, 'has')
      .mockResolvedValue(false);
    const again = (await house.t.call('executions.retry', { id: kept, from_step: 'w' }, house.ann)).id;
    has.mockRestore();
    await house.waiting(again);
    await work(retention);
    expect([await there(kept), await there(gone)]).toEqual([true, false]);
    expect(await traces(gone)).toEqual(NO_TRACE);
    expect((await traces(kept)).removals).toBe(0);
  });
});

describe('who dies in between', () => {
  const dies = async (): Promise<never> => {
    throw new Error('the process has died');
  };
  const FAULTS: readonly (readonly [
    string,
    () => { deps?: Partial<RetentionDeps>; context?: Partial<ServiceContext> },
  ])[] = [
    ['before the journals are gone', () => ({ deps: { records: withoutJournal() } })],
    [
      'before the ratings are gone',
      () => ({ deps: { feedback: Object.assign(Object.create(deps.feedback), { remove: dies }) } }),
    ],
    ['before the files are gone', () => ({ context: { call: dies as never } })],
    [
      'before it is done with the record',
      () => ({
        deps: {
          removals: Object.assign(Object.create(deps.removals), { done: dies, oldest: () => deps.removals.oldest() }),
        },
      }),
    ],
  ];

  /** The same records, of which no journal can be removed. */
  function withoutJournal(): Records {
    const { collections } = deps.records;
    const journal = { bulkWrite: dies };
    return Object.assign(Object.create(deps.records), { collections: { ...collections, journal } }) as Records;
  }

  test.each(FAULTS)('%s leaves nothing that is shown, and the next one finishes', async (_, fault) => {
    const id = await rich();
    clock.leap(HISTORY_DAYS * DAY_MS);
    const retention = new Retention(deps);
    expect(await retention.turn(context)).toBe(0);
    clock.leap(await retention.turn(context));
    const broken = fault();
    const dying = new Retention({ ...deps, ...broken.deps });
    await expect(dying.turn({ ...context, ...broken.context })).rejects.toThrow('the process has died');
    expect(await there(id)).toBe(false);
    expect((await traces(id)).removals).toBe(1);
    await work(new Retention(deps));
    expect(await traces(id)).toEqual(NO_TRACE);
  });

  test('between two batches, the next one goes on', async () => {
    const ids = await Promise.all(Array.from({ length: 3 }, () => run([SET])));
    clock.leap(HISTORY_DAYS * DAY_MS);
    const retention = new Retention(deps);
    expect(await retention.turn(context)).toBe(0);
    expect(await Promise.all(ids.map(there))).toEqual([true, true, true]);
    await work(new Retention(deps));
    expect(await Promise.all(ids.map(there))).toEqual([false, false, false]);
  });

  test('blocks no other host for longer than its lease, and two hosts never do it at once', async () => {
    const other = new Retention({ ...deps, app: { ...deps.app, nodeId: 'other' } });
    expect(await new Retention(deps).turn(context)).toBe(NOTHING_LEFT);
    expect(await other.turn(context)).toBe(60_000);
    clock.leap(60_001);
    expect(await other.turn(context)).toBe(NOTHING_LEFT);
    expect(await new Retention(deps).turn(context)).toBe(60_000);
  });
});
