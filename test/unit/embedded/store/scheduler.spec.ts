import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServerError } from '../../../../embedded/bson/error';
import { Catalog } from '../../../../embedded/store/catalog';
import { Environment } from '../../../../embedded/store/environment';
import { type Outcome, Scheduler } from '../../../../embedded/store/scheduler';
import { TimeSlice, type Task } from '../../../../embedded/store/task';

const KEY = Buffer.from('zz');

class Bench {
  readonly dir = mkdtempSync(join(tmpdir(), 'scheduler-'));
  readonly env = Environment.open(this.dir, false);
  readonly catalog = new Catalog(this.env);
  readonly faults: string[] = [];
  readonly scheduler = new Scheduler(this.env, this.catalog, ({ kind }) => this.faults.push(kind));

  submit<T>(kind: 'read' | 'write', start: () => Task<T>, timeSlice = new TimeSlice()): Promise<Outcome<T>> {
    return new Promise((settle) => this.scheduler.submit<T>({ kind, timeSlice, start, settle }));
  }

  /** Lets `write` fail as SQLite does, this many times. */
  breakCommit(times: number, error: Error): void {
    const write = this.env.write.bind(this.env);
    let left = times;
    this.env.write = (action) =>
      write(() => {
        action();
        if (left-- > 0) throw error;
      });
  }

  close(): void {
    this.env.close();
    rmSync(this.dir, { recursive: true, force: true });
  }
}

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
});
afterEach(() => bench.close());

const create = (name: string) =>
  function* (): Task<string> {
    return bench.catalog.create('db', name, new Map()).name;
  };

const names = (): string[] => bench.catalog.collections('db').map(({ name }) => name);

test('writes of one iteration share one transaction', async () => {
  let transactions = 0;
  const write = bench.env.write.bind(bench.env);
  bench.env.write = (action) => {
    transactions++;
    write(action);
  };
  const writeThree = async (round: number): Promise<void> => {
    transactions = 0;
    await Promise.all(['a', 'b', 'c'].map((name) => bench.submit('write', create(`${name}${round}`))));
  };
  // On a busy machine a turn can be over its time after the first writes; the others are then in the next transaction.
  let rounds = 0;
  do await writeThree(rounds++);
  while (transactions > 1 && rounds < 10);
  expect(transactions).toBe(1);
  expect(names()).toHaveLength(3 * rounds);
});

test('a rejected write does not undo other writes of its batch', async () => {
  const refused = bench.submit('write', function* () {
    throw new ServerError('BadValue', 'no');
  });
  const outcomes = await Promise.all([bench.submit('write', create('a')), refused, bench.submit('write', create('b'))]);
  expect(outcomes.map(({ kind }) => kind)).toEqual(['done', 'failed', 'done']);
  bench.catalog.reload();
  expect(names()).toEqual(['a', 'b']);
});

test('a fault in one write undoes only that one, in memory and on disk', async () => {
  const faulty = bench.submit('write', function* (): Task<void> {
    bench.catalog.create('db', 'half', new Map());
    throw new TypeError('a mistake');
  });
  const outcomes = await Promise.all([bench.submit('write', create('a')), faulty, bench.submit('write', create('b'))]);
  expect(outcomes).toMatchObject([{ kind: 'done' }, { kind: 'failed', error: { code: 1 } }, { kind: 'done' }]);
  expect(names()).toEqual(['a', 'b']);
  bench.catalog.reload();
  expect(names()).toEqual(['a', 'b']);
  expect(bench.faults).toEqual([]);
});

test('a full disk fails the writes with 14031 and later ones succeed', async () => {
  bench.breakCommit(1, Object.assign(new Error('database or disk is full'), { errcode: 13 }));
  expect(await bench.submit('write', create('a'))).toMatchObject({ kind: 'failed', error: { code: 14031 } });
  expect(names()).toEqual([]);
  expect(await bench.submit('write', create('b'))).toMatchObject({ kind: 'done' });
  expect(bench.faults).toEqual(['full']);
});

test('any other failure of a commit closes the store for writes and is reported, while reads go on', async () => {
  bench.breakCommit(1, Object.assign(new Error('disk I/O error'), { errcode: 1034 }));
  expect(await bench.submit('write', create('a'))).toMatchObject({ kind: 'failed' });
  expect(await bench.submit('write', create('b'))).toMatchObject({ kind: 'failed', error: { code: 1 } });
  expect(bench.faults).toEqual(['closed']);
  const read = bench.submit('read', function* () {
    return names();
  });
  expect(await read).toEqual({ kind: 'done', value: [] });
});

test('a read that yields keeps seeing its initial state', async () => {
  const snapshots: unknown[] = [];
  const reading = new Promise<Outcome<boolean>>((settle) =>
    bench.scheduler.submit<boolean>({
      kind: 'read',
      timeSlice: new TimeSlice(),
      settle,
      *start({ snapshot }) {
        snapshots.push(bench.env.at(snapshot).meta.get(KEY));
        yield;
        while (bench.env.meta.get(KEY) === undefined) yield;
        return bench.env.at(snapshot).meta.get(KEY) === undefined;
      },
    }),
  );
  await bench.submit('write', function* () {
    bench.env.meta.put(KEY, Buffer.from('new'));
  });
  expect(await reading).toEqual({ kind: 'done', value: true });
  expect(snapshots).toEqual([undefined]);
});

test('a long write lets others commit between its slices', async () => {
  const order: string[] = [];
  const long = bench.submit('write', function* () {
    for (let i = 0; i < 5; i++) yield;
    order.push('long');
  });
  const short = bench.submit('write', function* () {
    order.push('short');
  });
  await Promise.all([long, short]);
  expect(order).toEqual(['short', 'long']);
});

test('a killed operation ends with 11601, one out of time with 50', async () => {
  const timeSlice = new TimeSlice();
  const killed = bench.submit(
    'read',
    function* () {
      for (;;) yield;
    },
    timeSlice,
  );
  timeSlice.kill();
  expect(await killed).toMatchObject({ kind: 'failed', error: { code: 11601 } });
  const late = bench.submit(
    'read',
    function* () {
      for (;;) yield;
    },
    new TimeSlice(performance.now() + 5),
  );
  expect(await late).toMatchObject({ kind: 'failed', error: { code: 50 } });
});

test('long reads yield to new operations, for any number of long reads', async () => {
  const READS = 30;
  let slices = 0;
  const reads = Array.from({ length: READS }, () =>
    bench.submit('read', function* () {
      for (let n = 0; n < 4; n++) {
        for (const until = performance.now() + 5; performance.now() < until; );
        slices += 1;
        yield;
      }
      return null;
    }),
  );
  let max = 0;
  for (let before = slices; !bench.scheduler.idle; before = slices) {
    await new Promise((resolve) => setImmediate(resolve));
    max = Math.max(max, slices - before);
  }
  expect(max).toBeLessThan(READS / 2);
  expect((await Promise.all(reads)).every(({ kind }) => kind === 'done')).toBe(true);
  expect(slices).toBe(4 * READS);
});
