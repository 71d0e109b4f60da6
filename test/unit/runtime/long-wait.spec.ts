import { settle, until } from '../../support/manual-clock';
import { StateCache } from '../../../runtime/execution/state-cache';
import { LoadBudget, MAX_LOADING_CHARS } from '../../../runtime/worker/load-budget';
import { emptyState } from '../../../runtime/core/state/state';
import { World } from '../../support/runtime/world';

describe('a run that waits for a signal many times', () => {
  /** How many records and messages each activation reads, and how large the history is at the end. */
  async function rounds(count: number) {
    const world = new World();
    const steps = [
      {
        id: 'loop',
        type: 'while',
        config: { condition: `{{ loop.index < ${count} }}` },
        steps: [{ id: 'w', type: 'wait_for_signal', config: { signal: 'go' } }],
      },
    ];
    const plan = world.plan(steps);
    const { host, connection } = world.host();
    const read: { records: number; mail: number }[] = [];
    const { openRun } = connection.runs;
    connection.runs.openRun = async (...args) => {
      const { records, messages: mail } = await openRun(...args);
      read.push({ records: records.length, mail: mail.length });
      return { records, messages: mail };
    };
    await host.start();
    await host.begin(world.execution('x', plan), plan);
    for (let n = 0; n < count; n++) {
      await until(world.clock, () => world.row('x').owner === null);
      await world.send('x', { id: `m${String(n).padStart(6, '0')}`, name: 'go' });
      await settle();
    }
    await until(world.clock, () => world.ended('x'));
    return { world, read, records: world.db.journals.get('x')?.length ?? 0 };
  }

  it('reads about as much in the last round as in the first', async () => {
    const { world, read, records } = await rounds(300);
    expect([world.row('x').status, read.length]).toEqual(['completed', 300]);
    expect(records).toBeGreaterThan(250);
    expect(Math.max(...read.map((one) => one.records))).toBeLessThanOrEqual(1);
    expect(Math.max(...read.map((one) => one.mail))).toBeLessThanOrEqual(40);
  }, 60_000);

  it('keeps its messages and its state of the release', async () => {
    const { world } = await rounds(40);
    expect(await world.client.runs.findMessage('x', 'm000000')).not.toBeNull();
    expect(world.db.taken.size).toBeGreaterThanOrEqual(32);
    expect(world.row('x')).toMatchObject({ signals: 40 });
    expect(world.row('x').size).toBeGreaterThan(1_000);
  });
});

describe('cached states', () => {
  const sized = (size: number) => Object.assign(emptyState(), { size });
  const at = { last: 3, position: 60 };

  it('are returned once, without data of an activation', () => {
    const kept = new StateCache();
    const state = sized(10);
    state.inFlight.add('a');
    state.messages.push({ id: 'm', name: 'm', data: {}, by: null, at: 0 });
    kept.keep('x', state, at);
    expect(kept.take('x')).toMatchObject({ n: 3, entries: 60, state: { messages: [], inFlight: new Set() } });
    expect(kept.take('x')).toBeUndefined();
  });

  it('are limited in size and number', () => {
    const kept = new StateCache();
    kept.keep('small', sized(10), { last: 1, position: 3 });
    kept.keep('large', sized(5 * 1024 * 1024), at);
    for (let n = 0; n < 20; n++) kept.keep(`x${n}`, sized(4 * 1024 * 1024), at);
    const left = ['small', 'large', ...Array.from({ length: 20 }, (_, n) => `x${n}`)].filter((id) => kept.take(id));
    expect(left).toEqual(['x12', 'x13', 'x14', 'x15', 'x16', 'x17', 'x18', 'x19']);
  });
});

describe('loads of histories', () => {
  it('are eight at a time, in order, and within the budget except for a single one', async () => {
    const budget = new LoadBudget();
    const began: string[] = [];
    const done = new Map<string, () => void>();
    const load = (name: string, chars: number): void =>
      void budget.acquire(chars).then((over) => {
        began.push(name);
        done.set(name, over);
      });
    const finish = async (name: string): Promise<string[]> => {
      done.get(name)?.();
      began.length = 0;
      await settle();
      return [...began];
    };
    for (let n = 0; n < 10; n++) load(`s${n}`, 10);
    load('huge', 2 * MAX_LOADING_CHARS);
    load('half', MAX_LOADING_CHARS / 2);
    load('half too', MAX_LOADING_CHARS / 2);
    load('last', 1);
    await settle();
    expect(began).toEqual(['s0', 's1', 's2', 's3', 's4', 's5', 's6', 's7']);
    expect(await finish('s0')).toEqual(['s8']);
    for (let n = 1; n < 9; n++) expect(await finish(`s${n}`)).toEqual(n === 1 ? ['s9'] : []);
    expect(await finish('s9')).toEqual(['huge']);
    expect(await finish('huge')).toEqual(['half', 'half too']);
    expect(await finish('half')).toEqual(['last']);
  });
});
