import { DeferredInsert } from '../../../runtime/execution/deferred-insert';
import { ClaimLost, JournalWriter } from '../../../runtime/execution/journal';
import { NO_METERS } from '../../../runtime/execution/meters';
import type { Entry, JournalRecord } from '../../../runtime/core/entries/entry';
import type { AppendResult } from '../../../runtime/ports/run-store';
import { ManualClock, settle } from '../../support/manual-clock';

const entry = (path: string, size = 0): Entry => ({
  kind: 'step.completed',
  path,
  attempt: 1,
  at: 0,
  started: 0,
  output: { t: 'x'.repeat(size) },
});
const claim = { id: 'run', host: 'h', epoch: 2 };

/** A writer on a store that the test holds in its hand. */
class Desk {
  readonly clock = new ManualClock();
  readonly records: JournalRecord[] = [];
  readonly payloads: string[] = [];
  readonly durable: number[] = [];
  readonly faults: unknown[] = [];
  mayWrite = true;
  /** What the store does with an append; else it takes it. */
  append: (record: JournalRecord) => Promise<AppendResult> = async (record) => this.take(record);
  stored = 0;
  readonly gate = new DeferredInsert(async () => void (this.stored += 1));
  readonly writer: JournalWriter;

  constructor(n = 0, before = 0, gate: DeferredInsert | null = null) {
    this.writer = new JournalWriter(
      {
        store: {
          append: (record) => this.append(record),
          putPayload: async (_id, hash) => void this.payloads.push(hash),
        },
        clock: this.clock,
        claim,
        policy: { afterMs: 50, chars: 1_000 },
        meters: NO_METERS,
        insert: gate ?? this.gate,
        mayWrite: () => this.mayWrite,
        onDurable: (position) => this.durable.push(position),
        onFault: (fault) => this.faults.push(fault),
      },
      n,
      before,
    );
  }

  take(record: JournalRecord): AppendResult {
    this.records.push(record);
    return { kind: 'appended' };
  }

  get paths(): string[][] {
    return this.records.map((record) => (JSON.parse(record.json) as { path: string }[]).map(({ path }) => path));
  }
}

describe('J1, J3: order', () => {
  it('numbers records without a gap, in the order of adding, one in flight', async () => {
    const desk = new Desk(4, 9);
    let inFlight = 0;
    desk.append = async (record) => {
      expect(++inFlight).toBe(1);
      await settle(1);
      inFlight -= 1;
      return desk.take(record);
    };
    desk.writer.add([entry('a'), entry('b')]);
    const first = desk.writer.barrier();
    await settle(1);
    desk.writer.add([entry('c')]);
    desk.writer.add([entry('d')]);
    await desk.writer.barrier();
    await first;
    expect(desk.paths).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
    expect(desk.records.map(({ n, before, epoch, host }) => [n, before, epoch, host])).toEqual([
      [5, 9, 2, 'h'],
      [6, 11, 2, 'h'],
    ]);
    expect(desk.durable).toEqual([11, 13]);
    expect(desk.writer.position).toBe(13);
  });

  it('writes entries that arrive during a write with the next one', async () => {
    const desk = new Desk();
    let release = (): void => {};
    desk.append = async (record) => {
      await new Promise<void>((resolve) => (release = resolve));
      return desk.take(record);
    };
    desk.writer.add([entry('a')]);
    desk.clock.advance(50);
    await settle(1);
    desk.writer.add([entry('b')]);
    release();
    await settle(1);
    desk.writer.add([entry('c')]);
    await settle(1);
    expect(desk.paths).toEqual([['a']]);
    desk.clock.advance(50);
    await settle(1);
    release();
    await settle(1);
    expect(desk.paths).toEqual([['a'], ['b', 'c']]);
  });

  it('continues while many entries are pending', async () => {
    const desk = new Desk();
    let release = (): void => {};
    desk.append = async (record) => {
      await new Promise<void>((resolve) => (release = resolve));
      return desk.take(record);
    };
    desk.writer.add([entry('a', 1_000)]);
    await settle(1);
    desk.writer.add([entry('b', 1_000)]);
    release();
    await settle(1);
    release();
    await settle(1);
    expect([desk.paths, desk.clock.pending]).toEqual([[['a'], ['b']], 0]);
  });

  it('writes nothing without entries', async () => {
    const desk = new Desk();
    desk.writer.add([]);
    await desk.writer.barrier();
    expect([desk.records, desk.stored, desk.clock.pending]).toEqual([[], 0, 0]);
  });
});

describe('J2: a barrier', () => {
  it('resolves when all earlier entries are durable, the run itself first', async () => {
    const order: string[] = [];
    const gate = new DeferredInsert(async () => {
      await settle(2);
      order.push('run');
    });
    const desk = new Desk(0, 0, gate);
    desk.append = async (record) => {
      await settle(2);
      order.push('record');
      return desk.take(record);
    };
    desk.writer.add([entry('a')]);
    await desk.writer.barrier();
    order.push('barrier');
    expect(order).toEqual(['run', 'record', 'barrier']);
  });

  it('retries a failing store with backoff', async () => {
    const desk = new Desk();
    let tries = 0;
    desk.append = async (record) => {
      tries += 1;
      if (tries < 8) throw new Error('down');
      return desk.take(record);
    };
    desk.writer.add([entry('a')]);
    let passed = false;
    void desk.writer.barrier().then(() => (passed = true));
    const began = desk.clock.now();
    while (!passed) {
      await settle();
      desk.clock.step();
    }
    expect(tries).toBe(8);
    expect(desk.clock.now() - began).toBeGreaterThan(4_000);
    expect(desk.faults).toHaveLength(7);
  });

  it('resolves after an append whose answer was lost', async () => {
    const desk = new Desk();
    let lost = true;
    desk.append = async (record) => {
      if (lost) {
        lost = false;
        desk.take(record);
        throw new Error('the answer was lost');
      }
      return { kind: 'taken', epoch: record.epoch, host: record.host };
    };
    desk.writer.add([entry('a')]);
    const barrier = desk.writer.barrier();
    await settle();
    desk.clock.step();
    await barrier;
    expect(desk.paths).toEqual([['a']]);
  });
});

describe('J4: a lost claim', () => {
  it.each([
    ['newer', { kind: 'taken', epoch: 3, host: 'other' }],
    ['older', { kind: 'taken', epoch: 1, host: 'zombie' }],
    ['same epoch of another host', { kind: 'taken', epoch: 2, host: 'other' }],
  ] as [string, AppendResult][])(
    'shown by a record of a %s claim rejects every barrier, and ends the writing',
    async (_, taken) => {
      const desk = new Desk();
      desk.append = async () => taken;
      desk.writer.add([entry('a')]);
      await expect(desk.writer.barrier()).rejects.toThrow(ClaimLost);
      desk.append = async (record) => desk.take(record);
      desk.writer.add([entry('b')]);
      await expect(desk.writer.barrier()).rejects.toThrow(ClaimLost);
      await expect(desk.writer.takeTail()).rejects.toThrow(ClaimLost);
      expect([desk.records, desk.clock.pending]).toEqual([[], 0]);
    },
  );

  it('is reported without a barrier', async () => {
    const desk = new Desk();
    desk.append = async () => ({ kind: 'taken', epoch: 3, host: 'other' });
    desk.writer.add([entry('a')]);
    desk.clock.advance(50);
    await settle();
    expect(desk.faults).toEqual([expect.any(ClaimLost)]);
  });

  it('is reported by a host that may not write', async () => {
    const desk = new Desk();
    desk.append = async () => {
      desk.mayWrite = false;
      throw new Error('down');
    };
    desk.writer.add([entry('a')]);
    const barrier = desk.writer.barrier();
    const refused = expect(barrier).rejects.toThrow(ClaimLost);
    await settle();
    desk.clock.step();
    await refused;
  });

  it('follows from a run that could not be stored', async () => {
    const desk = new Desk(0, 0, new DeferredInsert(() => Promise.reject(new ClaimLost('run'))));
    desk.writer.add([entry('a')]);
    await expect(desk.writer.barrier()).rejects.toThrow(ClaimLost);
    expect(desk.records).toEqual([]);
  });

  it('by abandoning rejects waiting callers', async () => {
    const desk = new Desk();
    desk.writer.add([entry('a')]);
    desk.writer.abandon();
    await expect(desk.writer.barrier()).rejects.toThrow(ClaimLost);
    expect([desk.records, desk.clock.pending]).toEqual([[], 0]);
  });
});

describe('J5: no barrier', () => {
  it('writes after the time of the policy, or at its size', async () => {
    const desk = new Desk();
    desk.writer.add([entry('a')]);
    desk.clock.advance(49);
    await settle();
    expect(desk.records).toEqual([]);
    desk.clock.advance(1);
    await settle();
    expect(desk.paths).toEqual([['a']]);
    desk.writer.add([entry('b', 1_000)]);
    await settle();
    expect(desk.paths).toEqual([['a'], ['b']]);
    expect(desk.clock.pending).toBe(0);
  });
});

describe('J6, J7: records', () => {
  it('have whole decisions, as many as fit', async () => {
    const desk = new Desk();
    let go = (): void => {};
    const held = new Promise<void>((resolve) => (go = resolve));
    desk.append = async (record) => {
      await held;
      return desk.take(record);
    };
    desk.writer.add([entry('a')]);
    void desk.writer.barrier();
    await settle();
    desk.writer.add([entry('b', 300), entry('c', 300)]);
    desk.writer.add([entry('d', 300)]);
    desk.writer.add([entry('e', 5_000), entry('f')]);
    desk.writer.add([entry('g')]);
    go();
    await desk.writer.barrier();
    expect(desk.paths).toEqual([['a'], ['b', 'c'], ['d'], ['e', 'f'], ['g']].map((paths) => paths));
  });

  it('are written after their separate values', async () => {
    const desk = new Desk();
    desk.append = async (record) => {
      expect(desk.payloads).toHaveLength(1);
      return desk.take(record);
    };
    desk.writer.add([entry('a', 200_000)]);
    await desk.writer.barrier();
    expect(desk.records[0]?.json.length).toBeLessThan(500);
  });
});

describe('the tail', () => {
  it('has the entries without a record, numbered as the next one, and is not written', async () => {
    const desk = new Desk();
    desk.writer.add([entry('a')]);
    await desk.writer.barrier();
    desk.writer.add([entry('b')]);
    desk.writer.add([entry('c', 200_000)]);
    const tail = await desk.writer.takeTail();
    expect(tail).toMatchObject({ n: 2, before: 1, epoch: 2, host: 'h' });
    expect(desk.payloads).toHaveLength(1);
    expect([desk.paths, desk.writer.position, desk.clock.pending]).toEqual([[['a']], 3, 0]);
    expect(await desk.writer.takeTail()).toBeNull();
  });

  it('waits for a record in progress', async () => {
    const desk = new Desk();
    desk.append = async (record) => {
      await settle(2);
      return desk.take(record);
    };
    desk.writer.add([entry('a')]);
    void desk.writer.barrier();
    desk.writer.add([entry('b')]);
    const tail = await desk.writer.takeTail();
    const written = desk.paths.flat();
    const left = tail === null ? [] : (JSON.parse(tail.json) as { path: string }[]).map(({ path }) => path);
    expect([...written, ...left]).toEqual(['a', 'b']);
  });
});
