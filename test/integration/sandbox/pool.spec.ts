import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { type PoolPolicy, SandboxAborted, type SandboxResult, SandboxPool } from '../../../lib/sandbox';
import { SandboxPool as Pool } from '../../../lib/sandbox';

const ENDLESS = 'while (true);';
/** One call of a built-in function, in which the engine looks at no clock. */
const DEAF = '[].indexOf.call({ length: 2 ** 53 - 1 }, 1)';

const opened: SandboxPool[] = [];
afterEach(() => Promise.all(opened.splice(0).map((pool) => pool.close())));

const open = (policy: Partial<PoolPolicy>): SandboxPool => {
  const pool = new SandboxPool({ policy });
  opened.push(pool);
  return pool;
};

interface Asked {
  lane?: string;
  signal?: AbortSignal;
  timeoutMs?: number;
}

const run = (
  pool: SandboxPool,
  source: string,
  { lane = 'a', signal = new AbortController().signal, timeoutMs = 60_000 }: Asked = {},
): Promise<SandboxResult> => pool.lane(lane).run({ source, globals: {}, timeoutMs, signal });

const VALUE = { kind: 'value', value: 1, lines: [] };

describe('a pool of threads', () => {
  it('rejects at once on an abort, and reuses the thread', async () => {
    const pool = open({ warm: 1, max: 1 });
    await run(pool, 'return 1');
    const stop = new AbortController();
    const running = run(pool, ENDLESS, { signal: stop.signal });
    const next = run(pool, 'return 1');
    stop.abort();
    await expect(running).rejects.toThrow(SandboxAborted);
    expect(await next).toEqual(VALUE);
  });

  it('replaces a thread that is deaf to an abort', async () => {
    const pool = open({ warm: 1, max: 1 });
    const stop = new AbortController();
    const running = run(pool, DEAF, { signal: stop.signal });
    const next = run(pool, 'return 1');
    stop.abort();
    await expect(running).rejects.toThrow(SandboxAborted);
    expect(await next).toEqual(VALUE);
  });

  it('replaces a thread that is deaf to the time', async () => {
    const pool = open({ warm: 1, max: 1 });
    expect(await run(pool, DEAF, { timeoutMs: 100 })).toMatchObject({ code: 'timed_out' });
    expect(await run(pool, 'return 1')).toEqual(VALUE);
  });

  it('forgets what is aborted while it waits', async () => {
    const pool = open({ warm: 1, max: 1 });
    const stop = new AbortController();
    const first = run(pool, ENDLESS, { timeoutMs: 500 });
    const waiting = run(pool, 'return 2', { signal: stop.signal });
    stop.abort();
    await expect(waiting).rejects.toThrow(SandboxAborted);
    await expect(run(pool, 'return 3', { signal: stop.signal })).rejects.toThrow(SandboxAborted);
    expect(await first).toMatchObject({ code: 'timed_out' });
  });

  it('refuses what is too much for one lane to wait, and others not', async () => {
    const pool = open({ warm: 1, max: 1, waiting: 2 });
    await run(pool, 'return 1');
    const blocking = run(pool, ENDLESS, { timeoutMs: 300 });
    const waiting = [run(pool, 'return 1'), run(pool, 'return 1')];
    expect(await run(pool, 'return 1')).toMatchObject({ kind: 'error', code: 'overloaded' });
    waiting.push(run(pool, 'return 1', { lane: 'b' }));
    await blocking;
    expect(await Promise.all(waiting)).toEqual([VALUE, VALUE, VALUE]);
  });

  it('lets lanes take turns', async () => {
    const pool = open({ warm: 1, max: 1 });
    const order: string[] = [];
    const asked = ['a', 'a', 'a', 'b', 'c'].map(async (lane, n) => {
      await run(pool, 'return 1', { lane });
      order.push(lane + n);
    });
    await Promise.all(asked);
    expect(order).toEqual(['a0', 'b3', 'c4', 'a1', 'a2']);
  });

  it('keeps the last thread for lanes that have none', async () => {
    const pool = open({ warm: 2, max: 2 });
    const stop = new AbortController();
    const greedy = [1, 2, 3].map(() => run(pool, ENDLESS, { lane: 'greedy', signal: stop.signal }));
    expect(await run(pool, 'return 1', { lane: 'modest' })).toEqual(VALUE);
    expect(await run(pool, 'return 1', { lane: 'modest' })).toEqual(VALUE);
    stop.abort();
    expect(await Promise.allSettled(greedy)).toEqual(greedy.map(() => expect.objectContaining({ status: 'rejected' })));
  });

  it('runs scripts at the same time', async () => {
    const pool = open({ warm: 3, max: 3 });
    const stop = new AbortController();
    const endless = ['a', 'b'].map((lane) => run(pool, ENDLESS, { lane, signal: stop.signal }));
    expect(await run(pool, 'return 1', { lane: 'c' })).toEqual(VALUE);
    stop.abort();
    await Promise.allSettled(endless);
  });

  it('rejects pending jobs when it closes, and accepts no more', async () => {
    const pool = open({ warm: 1, max: 1 });
    const running = run(pool, ENDLESS);
    const waiting = run(pool, 'return 1');
    const both = Promise.allSettled([running, waiting]);
    await pool.close();
    expect(await both).toEqual([
      { status: 'rejected', reason: expect.any(SandboxAborted) },
      { status: 'rejected', reason: expect.any(SandboxAborted) },
    ]);
    await expect(run(pool, 'return 1')).rejects.toThrow(SandboxAborted);
    await pool.close();
  });

  it('closes where nothing was ever run, and while it starts', async () => {
    await open({}).close();
    const pool = open({});
    const starting = run(pool, 'return 1').catch((fault: unknown) => fault);
    await pool.close();
    expect(await starting).toBeInstanceOf(SandboxAborted);
  });

  it('reports that its threads cannot start, for each job', async () => {
    const pool = new Pool({ entry: join(__dirname, 'no-such-file.js') });
    opened.push(pool);
    for (let n = 0; n < 2; n++)
      expect(await run(pool, 'return 1')).toMatchObject({
        code: 'crashed',
        message: expect.stringContaining('does not start'),
      });
  });

  it('does not keep the process alive once it is idle', () => {
    const { status, stdout } = spawnSync(
      process.execPath,
      ['test/support/run.mjs', 'test/integration/sandbox/leaving-process.ts'],
      { cwd: join(__dirname, '..', '..', '..'), encoding: 'utf8', timeout: 25_000 },
    );
    expect([status, stdout]).toEqual([0, 'value\n']);
  });
});
