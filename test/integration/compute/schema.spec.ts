import { type Compute, ComputePool } from '../../../lib/compute';
import { compileSchema } from '../../../lib/json-schema';
import { checkSliced } from '../../../lib/json-schema/check-sliced';
import type { Json } from '../../../lib/json';
import { STALL_MS, stallMs } from '../../support/stall';

const pool = new ComputePool({ policy: { maxThreads: 1 } });
const compute = pool.lane('tenant');
afterAll(() => pool.close());

const never: Compute = { run: () => Promise.reject(new Error('not to be used')) };
const numbers = (count: number): Json => Array.from({ length: count }, (_, index) => ({ a: index % (count - 1) }));

describe('a check of a value against a schema of a tenant', () => {
  it('is made at once where that takes some milliseconds', async () => {
    const schema = { type: 'object', required: ['a'] };
    expect(await checkSliced(never, { schema }, { a: 1 })).toEqual({ of: 'value', faults: [] });
    expect(await checkSliced(never, { schema, root: 'form' }, {})).toEqual({
      of: 'value',
      faults: [{ path: 'form.a', message: 'is required' }],
    });
    expect(await checkSliced(never, { schema: { type: 'x' } }, {})).toMatchObject({ of: 'schema' });
  });

  it.each<[string, Json, Json]>([
    ['large', { uniqueItems: true }, numbers(60_000)],
    [
      'small, and its schema costly',
      { items: { anyOf: Array.from({ length: 900 }, () => ({ properties: { a: { type: 'string' } } })) } },
      numbers(5_000),
    ],
  ])('has the same faults, and does not hold the main thread, when the value is %s', async (_title, schema, value) => {
    const compiled = compileSchema(schema);
    const expected = { of: 'value', faults: compiled.kind === 'usable' ? compiled.check(value) : [] };
    expect(expected.faults.length).toBeGreaterThan(0);
    expect(await checkSliced(compute, { schema }, value)).toEqual(expected);
    expect(await stallMs(() => checkSliced(compute, { schema }, value))).toBeLessThan(STALL_MS);
  });

  it('is a fault of the value when a thread does not end it in time', async () => {
    const slow: Compute = { run: (task, input) => compute.run(task, input, { timeoutMs: 1 }) };
    const { of, faults } = await checkSliced(slow, { schema: { uniqueItems: true } }, numbers(60_000));
    expect([of, faults[0]?.message]).toEqual(['value', 'takes too long to check; use a simpler schema']);
  });
});
