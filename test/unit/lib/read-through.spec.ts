import { ReadThrough } from '../../../lib/read-through';

let now: number;
let cache: ReadThrough<string | null>;
let reads: { key: string; resolve: (value: string | null) => void; reject: (error: Error) => void }[];

beforeEach(() => {
  now = 1;
  reads = [];
  cache = new ReadThrough({ max: 2, ttlMs: 1_000, now: () => now });
});

const get = (key: string): Promise<string | null> =>
  cache.get(key, () => new Promise((resolve, reject) => void reads.push({ key, resolve, reject })));
const answer = (n: number, value: string | null): void => reads[n]?.resolve(value);

test('a value is cached for its lifetime, including null', async () => {
  for (const value of ['a', null]) {
    reads = [];
    cache.delete('k');
    const first = get('k');
    answer(0, value);
    expect(await first).toBe(value);
    now += 999;
    expect(await get('k')).toBe(value);
    expect(reads).toHaveLength(1);
    now += 1;
    void get('k');
    expect(reads).toHaveLength(2);
    answer(1, value);
  }
});

test('concurrent callers share one read', async () => {
  const asked = [get('k'), get('k'), get('k')];
  answer(0, 'a');
  expect(await Promise.all(asked)).toEqual(['a', 'a', 'a']);
  expect(reads).toHaveLength(1);
});

test('a read that began before a delete is not cached', async () => {
  const early = get('k');
  cache.delete('k');
  const late = get('k');
  answer(0, 'old');
  expect(await early).toBe('old');
  answer(1, 'new');
  expect(await late).toBe('new');
  expect(await get('k')).toBe('new');
  expect(reads).toHaveLength(2);
});

test('an early read that ends last does not replace the later one', async () => {
  const early = get('k');
  cache.delete('k');
  const late = get('k');
  answer(1, 'new');
  await late;
  answer(0, 'old');
  await early;
  expect(await get('k')).toBe('new');
});

test('a failure rejects for all waiting callers, and the next call reads again', async () => {
  const asked = [get('k'), get('k')];
  reads[0]?.reject(new Error('down'));
  for (const one of asked) await expect(one).rejects.toThrow('down');
  const next = get('k');
  answer(1, 'a');
  expect(await next).toBe('a');
});

/** All answers so far have been taken. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a value that is refreshed before it expires', () => {
  beforeEach(async () => {
    cache = new ReadThrough({ max: 2, ttlMs: 1_000, now: () => now, refreshAheadMs: 500 });
    const first = get('k');
    answer(0, 'a');
    await first;
    now += 400;
  });

  test('is read again once, beside its use, and lives on', async () => {
    await get('k');
    expect(reads).toHaveLength(1);
    now += 200;
    expect(await Promise.all([get('k'), get('k')])).toEqual(['a', 'a']);
    expect(reads).toHaveLength(2);
    answer(1, 'b');
    await settled();
    expect(await get('k')).toBe('b');
    now += 499;
    expect(await get('k')).toBe('b');
    expect(reads).toHaveLength(2);
  });

  test('expires as any other when it is not used, or cannot be read', async () => {
    now += 200;
    await get('k');
    reads[1]?.reject(new Error('no answer'));
    await settled();
    expect(await get('k')).toBe('a');
    reads[2]?.reject(new Error('no answer'));
    await settled();
    now += 500;
    const late = get('k');
    reads[3]?.reject(new Error('still none'));
    await expect(late).rejects.toThrow('still none');
  });

  test('is dropped by a delete, and so is the read in progress', async () => {
    now += 200;
    await get('k');
    cache.delete('k');
    answer(1, 'before the change');
    await settled();
    const after = get('k');
    answer(2, 'after');
    expect(await after).toBe('after');
    expect(await get('k')).toBe('after');
  });
});
