import type { Gathering } from '../../../runtime/core/decide/gathering';
import type { Execution } from '../../../runtime/core/model';
import { mongoGatheringStore } from '../../../runtime/mongo/gathering-store';
import type { GatheringStore, ReplacedMembers } from '../../../runtime/ports/gathering-store';
import { ready, T0 } from '../../support/runtime/records';
import { implementationsOf, type StorePair } from '../../support/runtime/store-pair';

const DUE = T0 + 5_000;
const concurrency = { group: 'g', key: 'k', limit: 1, onConflict: 'queue' } as const;
const throttle = { window: 'w', key: 'k', limit: 1, periodMs: 1_000, burst: 1, passed: false } as const;

const gathering = (kind: Gathering['kind'], more: Partial<Gathering> = {}): Gathering => ({
  kind,
  slot: 's',
  key: 'k',
  maxSize: kind === 'batch' ? 3 : null,
  state: 'open',
  firstAt: T0,
  beginsAt: DUE,
  count: 1,
  starts: ['a'],
  chars: 7,
  held: { concurrency, throttle, timeoutMs: 60_000 },
  ...more,
});

/** The gathering with one more start. */
const next = (before: Gathering, id: string, more: Partial<Gathering> = {}): Gathering => ({
  ...before,
  count: before.count + 1,
  starts: [...before.starts, id],
  ...more,
});

const members = (trigger: Execution['trigger'], more: Partial<ReplacedMembers> = {}): ReplacedMembers => ({
  trigger,
  inputKey: 'body',
  triggerType: 'http',
  planHash: 'newer',
  workflowName: 'Renamed',
  env: 'prod',
  requestId: 'r-2',
  ...more,
});

describe.each(implementationsOf(({ gatherings }) => gatherings, mongoGatheringStore))('%s', (_, open) => {
  let subject: StorePair<GatheringStore>;
  beforeAll(async () => {
    subject = await open();
  });
  afterAll(() => subject?.close());

  const stored = (id: string, of: Gathering, more: Partial<Execution> = {}) =>
    subject.runs.insert(ready(id, DUE, { gathering: of, ...more }));
  const claimed = async (id: string): Promise<Execution> => {
    const [run] = await subject.runs.claim('h1', [{ id, tenantId: 'tenant', epoch: 0 }]);
    return run as Execution;
  };

  it('names the next run of a slot once', async () => {
    const { store: gatherings, others } = subject;
    expect(await gatherings.current('one')).toBeNull();
    expect(await gatherings.advance('one', null, 'r1', DUE)).toBe(true);
    expect(await others.advance('one', null, 'r2', DUE)).toBe(false);
    expect(await others.current('one')).toBe('r1');
    expect(await others.advance('one', 'r1', 'r2', DUE)).toBe(true);
    expect(await gatherings.advance('one', 'r1', 'r3', DUE)).toBe(false);
    expect(await gatherings.current('one')).toBe('r2');
  });

  it('keeps the first mark of a start, until it is moved from there', async () => {
    const { store: gatherings, others } = subject;
    expect(await gatherings.mark('a', { run: 'r1', digest: 'd' }, DUE)).toEqual({ run: 'r1', digest: 'd' });
    expect(await others.mark('a', { run: 'r2', digest: null }, DUE)).toEqual({ run: 'r1', digest: 'd' });
    await others.move('a', 'r9', 'r3');
    expect(await gatherings.mark('a', { run: 'r2', digest: null }, DUE)).toEqual({ run: 'r1', digest: 'd' });
    await others.move('a', 'r1', 'r3');
    expect(await gatherings.mark('a', { run: 'r2', digest: null }, DUE)).toEqual({ run: 'r3', digest: 'd' });
  });

  it('gives a batch its triggers in the order of their starts, on what was read', async () => {
    const { store: gatherings, others, runs } = subject;
    const before = gathering('batch');
    await stored('batch', before, { trigger: { events: [{ n: 1 }] } });
    const large = 'x'.repeat(200_000);
    expect(await gatherings.add('batch', next(before, 'b'), { event: { n: 2, large } })).toBe(true);
    expect(await others.add('batch', next(before, 'c'), { event: { n: 3 } })).toBe(false);
    const found = await others.find('batch');
    expect(found).toEqual({ gathering: next(before, 'b'), isEnding: false });
    const full = next(found?.gathering as Gathering, 'c', { beginsAt: T0 + 1 });
    expect(await others.add('batch', full, { event: { n: 3 } })).toBe(true);
    expect(await runs.load('batch')).toMatchObject({
      trigger: { events: [{ n: 1 }, { n: 2, large }, { n: 3 }] },
      gathering: full,
      wakeAt: T0 + 1,
      waiting: [{ step_id: null, kind: 'batch', name: 'k', since: T0, until: T0 + 1 }],
    });
  });

  it('replaces the members of a debounced run', async () => {
    const { store: gatherings, runs } = subject;
    const before = gathering('debounce');
    await stored('debounced', before, { trigger: { n: 1 }, labels: { order: '1' } });
    const after = next(before, 'b', { beginsAt: DUE + 1_000 });
    expect(await gatherings.add('debounced', after, { members: members({ n: 2 }) })).toBe(true);
    const run = await runs.load('debounced');
    expect(run).toMatchObject({ ...members({ n: 2 }), gathering: after, wakeAt: DUE + 1_000 });
    expect(run?.labels).toBeUndefined();
  });

  it('counts a start as a message where a host owns the run, and leaves it when it wakes', async () => {
    const { store: gatherings, runs } = subject;
    const before = gathering('debounce');
    await stored('owned', before);
    const run = await claimed('owned');
    const after = next(before, 'b', { beginsAt: DUE + 1_000 });
    expect(await gatherings.add('owned', after, { members: members({ n: 2 }) })).toBe(true);
    expect(await runs.load('owned')).toMatchObject({ wakeAt: null, waiting: [], messageSeq: run.messageSeq + 1 });
  });

  it.each<[string, Partial<Execution>]>([
    ['that is about to be cancelled', { cancelling: true }],
    ['that is sealed', { gathering: gathering('batch', { state: 'sealed' }) }],
    ['that has begun', { gathering: gathering('batch', { state: 'begun' }) }],
  ])('gives no start to a run %s', async (what, more) => {
    const before = gathering('batch');
    await stored(what, before, { trigger: { events: [{ n: 1 }] }, ...more });
    expect(await subject.store.add(what, next(before, 'b'), { event: { n: 2 } })).toBe(false);
    expect((await subject.store.find(what))?.isEnding).toBe(more.cancelling === true);
  });

  it('seals a run for good, and wakes it if it begins earlier', async () => {
    const { store: gatherings, runs } = subject;
    const before = gathering('batch');
    await stored('early', before, { trigger: { events: [{ n: 1 }] } });
    await gatherings.seal('early', T0 + 10);
    const sealed = { ...before, state: 'sealed', beginsAt: T0 + 10 };
    expect(await runs.load('early')).toMatchObject({ gathering: sealed, wakeAt: T0 + 10, messageSeq: 1 });
    await gatherings.seal('early', T0);
    expect(await runs.load('early')).toMatchObject({ gathering: sealed, wakeAt: T0 + 10, messageSeq: 1 });
    await stored('over', before, { trigger: { events: [{ n: 1 }] } });
    await gatherings.seal('over', DUE + 50);
    expect(await runs.load('over')).toMatchObject({
      gathering: { state: 'sealed', beginsAt: DUE },
      wakeAt: DUE,
      messageSeq: 0,
    });
  });

  it('begins a run under its claim, with as many starts as were read', async () => {
    const { store: gatherings, runs } = subject;
    const before = gathering('batch');
    await stored('begins', before, { trigger: { events: [{ n: 1 }] } });
    const run = (await claimed('begins')) as Execution & { gathering: Gathering };
    const claim = { id: run.id, host: 'h1', epoch: run.epoch };
    const begun = {
      ...run,
      concurrency,
      throttle,
      rank: T0 + 3,
      deadlineAt: T0 + 60_000,
      gathering: { ...before, state: 'begun' as const },
    };
    expect(await gatherings.begin({ ...claim, epoch: run.epoch + 1 }, begun)).toBe(false);
    const more = { ...begun, gathering: { ...begun.gathering, count: 2 } };
    expect(await gatherings.begin(claim, more)).toBe(false);
    expect(await gatherings.begin(claim, begun)).toBe(true);
    expect(await gatherings.begin(claim, begun)).toBe(false);
    expect(await runs.load('begins')).toMatchObject({
      trigger: { events: [{ n: 1 }] },
      concurrency,
      throttle,
      rank: T0 + 3,
      deadlineAt: T0 + 60_000,
      gathering: { state: 'begun' },
    });
  });

  it('does not know runs that are not stored, and those that stand for one start', async () => {
    await subject.runs.insert(ready('plain', DUE));
    expect(await subject.store.find('plain')).toEqual({ gathering: null, isEnding: false });
    expect(await subject.store.find('nowhere')).toBeNull();
  });
});
