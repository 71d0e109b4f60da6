import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { Environment, type Tables } from '../../../../embedded/store/environment';
import { releaseEmptyPages } from '../../../../embedded/store/garbage-collection';
import type { Task } from '../../../../embedded/store/task';

let dir: string;
let env: Environment;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'environment-'));
  env = Environment.open(dir, false);
});
afterEach(() => {
  env.close();
  rmSync(dir, { recursive: true, force: true });
});

const reopen = (): void => {
  env.close();
  env = Environment.open(dir, false);
};

const key = (text: string): Buffer => Buffer.from(text);
const ALL = { start: key(''), end: Buffer.of(255) };
const keys = (tables: Tables): string[] => [...tables.indexes.rows(ALL)].map((row) => row.key.toString());
const put = (...texts: string[]): void =>
  env.write(() => texts.forEach((text) => env.indexes.put(key(text), Buffer.alloc(0))));

/** Runs each slice in its own transaction, as the scheduler does. */
function runInSlices(task: Task<void>): void {
  for (let done = false; !done; ) env.write(() => (done = task.next().done === true));
}

test('committed changes exist after the file is opened again, rolled-back ones do not', () => {
  env.write(() => {
    env.documents.put(1, 1, Buffer.from('kept'));
    env.meta.put(key('empty'), Buffer.alloc(0));
  });
  expect(() =>
    env.write(() => {
      env.documents.put(1, 1, Buffer.from('changed'));
      env.documents.put(1, 2, Buffer.from('new'));
      throw new Error('no');
    }),
  ).toThrow('no');
  for (const again of [() => undefined, reopen]) {
    again();
    expect([...env.documents.rows(1)].map(({ recordId, bytes }) => [recordId, bytes.toString()])).toEqual([
      [1, 'kept'],
    ]);
    expect(env.meta.get(key('empty'))).toEqual(Buffer.alloc(0));
  }
});

test('an empty file of a killed first start is initialized', () => {
  const half = mkdtempSync(join(tmpdir(), 'environment-'));
  try {
    const db = new DatabaseSync(join(half, 'data.db'));
    db.exec('PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL');
    db.close();
    expect(statSync(join(half, 'data.db')).size).toBeGreaterThan(0);
    for (const expected of [undefined, Buffer.from('kept')]) {
      const found = Environment.open(half, false);
      expect(found.documents.get(1, 1)).toEqual(expected);
      found.write(() => found.documents.put(1, 1, Buffer.from('kept')));
      found.close();
    }
    const written = new DatabaseSync(join(half, 'data.db'));
    expect(written.prepare('PRAGMA auto_vacuum').get()).toEqual({ auto_vacuum: 2 });
    written.close();
  } finally {
    rmSync(half, { recursive: true, force: true });
  }
});

test('documents of collections with large ids and records stay apart and in order', () => {
  const [far, last] = [2 ** 22, 2 ** 40 - 1];
  env.write(() => {
    for (const record of [last, 7, 2 ** 33]) env.documents.put(far, record, Buffer.from(String(record)));
    env.documents.put(far - 1, last, Buffer.from('before'));
    env.documents.put(far + 1, 1, Buffer.from('after'));
  });
  const records = (reverse: boolean, from?: number): number[] =>
    [...env.documents.rows(far, { reverse, last: from })].map(({ recordId }) => recordId);
  expect(records(false)).toEqual([7, 2 ** 33, last]);
  expect(records(true)).toEqual([last, 2 ** 33, 7]);
  expect(records(false, 7)).toEqual([2 ** 33, last]);
  expect(records(true, 2 ** 33)).toEqual([7]);
  env.write(() => expect(env.documents.removeSome(far, 2)).toBe(2));
  expect(records(false)).toEqual([last]);
  expect(env.documents.get(far - 1, last)?.toString()).toBe('before');
  expect(env.documents.get(far + 1, 1)?.toString()).toBe('after');
});

test('keys are iterated by their bytes, in both directions, and after the last one seen', () => {
  env.write(() =>
    [[0], [0, 0], [0, 255], [1], [255]].forEach((bytes) => env.indexes.put(Buffer.from(bytes), key('v'))),
  );
  const range = { start: Buffer.of(0, 0), end: Buffer.of(255) };
  const hex = (reverse: boolean, last?: Buffer): string[] =>
    [...env.indexes.rows(range, { reverse, last })].map((row) => row.key.toString('hex'));
  expect(hex(false)).toEqual(['0000', '00ff', '01']);
  expect(hex(true)).toEqual(['01', '00ff', '0000']);
  expect(hex(false, Buffer.of(0, 0))).toEqual(['00ff', '01']);
  expect(hex(true, Buffer.of(0, 255))).toEqual(['0000']);
  expect(env.indexes.count(range)).toBe(3);
});

test('nested iterations of one table have separate cursors', () => {
  put('a', 'b', 'c');
  const pairs: string[] = [];
  for (const outer of env.indexes.rows(ALL))
    for (const inner of env.indexes.rows(ALL)) pairs.push(`${outer.key.toString()}${inner.key.toString()}`);
  expect(pairs).toEqual(['aa', 'ab', 'ac', 'ba', 'bb', 'bc', 'ca', 'cb', 'cc']);
});

test('an iteration that ends early releases everything: the next write and iteration work', () => {
  put('a', 'b');
  for (const row of env.indexes.rows(ALL)) {
    expect(row.key.toString()).toBe('a');
    break;
  }
  put('0');
  expect(keys(env)).toEqual(['0', 'a', 'b']);
});

test('a snapshot does not change, is shared while nothing is written, and is released with its last user', () => {
  put('a');
  const [first, same] = [env.pin(), env.pin()];
  expect(first).toBe(same);
  put('b');
  const second = env.pin();
  expect(second).not.toBe(first);
  put('c');
  expect([keys(env.at({ pin: first })), keys(env.at({ pin: second })), keys(env)]).toEqual([
    ['a'],
    ['a', 'b'],
    ['a', 'b', 'c'],
  ]);
  if (first === undefined || second === undefined) throw new Error('nothing was pinned');
  env.unpin(first);
  expect(keys(env.at({ pin: first }))).toEqual(['a']);
  env.unpin(first);
  env.unpin(second);
  expect(keys(env.at({ pin: env.pin() }))).toEqual(['a', 'b', 'c']);
});

test('the next snapshot is refused when there are too many', () => {
  const pins = Array.from({ length: 33 }, (_, i) => {
    put(`k${i}`);
    return env.pin();
  });
  expect(pins.filter((pin) => pin === undefined)).toHaveLength(1);
  const [freed] = pins;
  if (freed !== undefined) env.unpin(freed);
  expect(env.pin()).toBeDefined();
});

test('a file that has been emptied shrinks', () => {
  for (let record = 1; record <= 60; record++) env.write(() => env.documents.put(1, record, Buffer.alloc(1024 * 1024)));
  const { file } = env.sizes();
  for (let left = true; left; ) env.write(() => (left = env.documents.removeSome(1, 5) === 5));
  expect(env.sizes().file).toBe(file);
  runInSlices(releaseEmptyPages({ env }));
  expect(env.sizes().file).toBeLessThan(20 * 1024 * 1024);
  env.close();
  expect(statSync(join(dir, 'data.db')).size).toBeLessThan(20 * 1024 * 1024);
  env = Environment.open(dir, false);
});

test('a folder with the file of an earlier version, or of another program, is rejected with a message', () => {
  const other = mkdtempSync(join(tmpdir(), 'environment-'));
  writeFileSync(join(other, 'data.mdb'), '');
  expect(() => Environment.open(other, false)).toThrow(/earlier version.*store:dump/);
  rmSync(join(other, 'data.mdb'));
  const foreign = new DatabaseSync(join(other, 'data.db'));
  foreign.exec('CREATE TABLE theirs (a)');
  foreign.close();
  expect(() => Environment.open(other, false)).toThrow('not a store of this version');
  rmSync(other, { recursive: true, force: true });
});

const WRITE = fc.record({
  kind: fc.constantFrom('put', 'put', 'remove'),
  at: fc.nat(40),
  size: fc.constantFrom(0, 1, 900, 5_000, 70_000),
});
const STEP = fc.oneof(
  fc.record({ kind: fc.constant('write' as const), writes: fc.array(WRITE, { maxLength: 30 }), fails: fc.boolean() }),
  fc.constant({ kind: 'pin' as const }),
  fc.constant({ kind: 'unpin' as const }),
  fc.constant({ kind: 'shrink' as const }),
  fc.constant({ kind: 'reopen' as const }),
);

const contents = (tables: Tables): Map<number, number> =>
  new Map([...tables.documents.rows(1)].map(({ recordId, bytes }) => [recordId, bytes.length]));

test('after any writes, rollbacks, snapshots, shrinking and reopening, every state is correct and the file is valid', () => {
  fc.assert(
    fc.property(fc.array(STEP, { maxLength: 40 }), (steps) => {
      env.write(() => env.documents.removeSome(1, 1_000));
      let model = new Map<number, number>();
      const pins: { pin: NonNullable<ReturnType<Environment['pin']>>; model: Map<number, number> }[] = [];
      const release = (): void => pins.splice(0).forEach(({ pin }) => env.unpin(pin));
      for (const step of steps) {
        if (step.kind === 'write') {
          const next = new Map(model);
          try {
            env.write(() => {
              for (const { kind, at, size } of step.writes) {
                if (kind === 'put') env.documents.put(1, at + 1, Buffer.alloc(size, at));
                else env.documents.remove(1, at + 1);
                if (kind === 'put') next.set(at + 1, size);
                else next.delete(at + 1);
              }
              if (step.fails) throw new Error('undone');
            });
            model = next;
          } catch (error) {
            expect(error).toMatchObject({ message: 'undone' });
          }
        } else if (step.kind === 'pin') {
          const pin = env.pin();
          if (pin !== undefined) pins.push({ pin, model });
        } else if (step.kind === 'unpin') {
          const oldest = pins.shift();
          if (oldest !== undefined) env.unpin(oldest.pin);
        } else if (step.kind === 'shrink') runInSlices(releaseEmptyPages({ env }));
        else {
          release();
          reopen();
        }
        const sorted = (map: Map<number, number>): [number, number][] => [...map].sort(([a], [b]) => a - b);
        expect([...contents(env)]).toEqual(sorted(model));
        for (const each of pins) expect([...contents(env.at(each))]).toEqual(sorted(each.model));
      }
      release();
    }),
    { numRuns: 300 },
  );
  env.close();
  const db = new DatabaseSync(join(dir, 'data.db'));
  expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  db.close();
  env = Environment.open(dir, false);
});
