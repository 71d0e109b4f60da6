import type { JsonObject } from '../../../lib/json';
import { type SandboxResult, SandboxPool } from '../../../lib/sandbox';

let pool: SandboxPool;
beforeAll(() => {
  pool = new SandboxPool({ policy: { warm: 1, max: 1 } });
});
afterAll(() => pool.close());

const run = (source: string, globals: JsonObject = {}): Promise<SandboxResult> =>
  pool.lane('a').run({ source, globals, timeoutMs: 10_000, signal: new AbortController().signal });

const valueOf = async (source: string, globals?: JsonObject): Promise<unknown> => {
  const result = await run(source, globals);
  if (result.kind === 'error') throw new Error(`${result.code}: ${result.message}`);
  return result.value;
};

const errorOf = async (source: string, globals?: JsonObject): Promise<[code: string, message: string]> => {
  const result = await run(source, globals);
  if (result.kind === 'value') throw new Error(`A value: ${JSON.stringify(result.value)}`);
  return [result.code, result.message];
};

describe('a script', () => {
  it.each<[string, JsonObject, unknown]>([
    ['return 6 * 7', {}, 42],
    ['', {}, null],
    ['return input.map((n) => n * 2)', { input: [1, 2] }, [2, 4]],
    ['return { trigger, steps }', { trigger: { a: 1 }, steps: { b: 2 } }, { trigger: { a: 1 }, steps: { b: 2 } }],
    ['const input = 5; return input', { input: 1 }, 5],
    ['return 1 // the end', {}, 1],
    ["'use strict'; return this === undefined", {}, true],
    ['return new Date(0)', {}, '1970-01-01T00:00:00.000Z'],
    ['return [undefined, NaN, 1]', {}, [null, null, 1]],
    ['return { a: undefined, b: 1 }', {}, { b: 1 }],
    ['return Object.keys(input)', { input: JSON.parse('{"__proto__":1,"a":2}') as JsonObject }, ['__proto__', 'a']],
    ['return "Ä😀\u2028" + input', { input: 'é😀' }, 'Ä😀\u2028é😀'],
  ])('%s', async (source, globals, expected) => {
    expect(await valueOf(source, globals)).toEqual(expected);
  });

  it('may await', async () => {
    expect(await valueOf('const all = await Promise.all([1, Promise.resolve(2)]); return all')).toEqual([1, 2]);
  });

  it('changes copies: what it was given stays as it is', async () => {
    const input = { list: [1] };
    expect(await valueOf('input.list.push(2); return input.list', { input })).toEqual([1, 2]);
    expect(input).toEqual({ list: [1] });
  });

  it('has dates in UTC, whatever the time zone of the machine', async () => {
    expect(
      await valueOf('const d = new Date(2026, 6, 1); return [d.getHours(), d.toISOString(), d.getTimezoneOffset()]'),
    ).toEqual([0, '2026-07-01T00:00:00.000Z', 0]);
  });

  it('has chance and time', async () => {
    expect(
      await valueOf(`return Math.abs(Date.now() - ${Date.now()}) < 60_000 && Math.random() !== Math.random()`),
    ).toBe(true);
  });

  it.each([
    ['throw new TypeError("no")', ['script_error', 'TypeError: no (line 1)']],
    ['\n\nmissing()', ['script_error', "ReferenceError: 'missing' is not defined (line 3)"]],
    ['const a = 1;\nconst b = ;', ['script_error', expect.stringMatching(/^SyntaxError: .+ \(line 2\)$/)]],
    ['const f = () => {\n  null.x;\n};\nf()', ['script_error', expect.stringMatching(/^TypeError: .+ \(line 2\)$/)]],
    ['await 0;\nawait Promise.reject(new RangeError("late"))', ['script_error', 'RangeError: late (line 2)']],
    ['throw { code: 5 }', ['script_error', '{"code":5}']],
    ['throw "text"', ['script_error', 'text']],
    ['throw null', ['script_error', 'null']],
    ['await new Promise(() => {})', ['script_error', 'The script awaits a promise that never settles']],
    ['return () => 1', ['result_invalid', 'The script returned a function or a symbol, which is not JSON']],
  ])('%s: fails with words and, where there is one, the line of its source', async (source, expected) => {
    expect(await errorOf(source)).toEqual(expected);
  });

  it('has only so much of an error shown', async () => {
    const [, message] = await errorOf('throw new Error("x".repeat(1e6))');
    expect(message.length).toBeLessThan(2_500);
  });

  it.each([
    ['typed arrays', 'new Uint8Array(1e5)', 1e5],
    ['lists', 'new Array(1000).fill(0.5)', 8_000],
    ['texts', '"x".repeat(1e4) + all.length', 1e4],
  ])('has 64 MiB of memory for its %s, and may go on when that was too much', async (_, made, size) => {
    const source = `const all = []; try { for (;;) all.push(${made}); } catch { const { length } = all; all.length = 0; return length; }`;
    const mib = (Number(await valueOf(source)) * size) / 2 ** 20;
    expect(mib).toBeGreaterThan(50);
    expect(mib).toBeLessThan(70);
  });

  it('sees 2 MiB at most', async () => {
    expect(await valueOf('return input.length', { input: 'x'.repeat(2_000_000) })).toBe(2_000_000);
    expect((await errorOf('return 1', { input: 'x'.repeat(2_200_000) }))[0]).toBe('input_too_large');
    // Short as a text, long as JSON.
    expect((await errorOf('return 1', { input: '\0'.repeat(500_000) }))[0]).toBe('input_too_large');
  });

  it('gives 1 MiB at most', async () => {
    expect(await valueOf(`return "x".repeat(${2 ** 20 - 2})`)).toHaveLength(2 ** 20 - 2);
    expect((await errorOf(`return "x".repeat(${2 ** 20 - 1})`))[0]).toBe('result_too_large');
  });
});

describe('the console of a script', () => {
  it('keeps what is written, as text', async () => {
    const result = await run(`
      console.log('a', 1, null, undefined, true, [1, { b: 2 }], 5n, Symbol('s'), new RangeError('e'));
      console.debug(); console.info('i'); console.warn('w'); console.error('e');
      throw new Error('after')`);
    expect(result).toMatchObject({
      code: 'script_error',
      lines: [
        { level: 'info', message: 'a 1 null undefined true [1,{"b":2}] 5 Symbol(s) RangeError: e' },
        { level: 'debug', message: '' },
        { level: 'info', message: 'i' },
        { level: 'warn', message: 'w' },
        { level: 'error', message: 'e' },
      ],
    });
  });

  it('keeps 200 lines of 1,000 characters, and reports it', async () => {
    const { lines } = await run('for (let i = 0; i < 1000; i++) console.log("x".repeat(5000))');
    expect(lines).toHaveLength(200);
    expect(lines[0]).toEqual({ level: 'info', message: 'x'.repeat(1_000) });
    expect(lines[199]).toEqual({ level: 'warn', message: 'Further lines are omitted' });
  });

  it('shows what cannot be shown as such', async () => {
    const { lines } = await run(`
      const circle = {}; circle.a = circle;
      console.log(circle, new Proxy({}, { get() { throw 1; }, ownKeys() { throw 1; } }), Object.create(null))`);
    expect(lines).toEqual([{ level: 'info', message: '[object Object] a value that cannot be shown {}' }]);
  });
});
