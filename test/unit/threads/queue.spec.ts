import fc from 'fast-check';
import { FairQueue } from '../../../lib/threads/queue';

interface Item {
  readonly lane: string;
  readonly n: number;
}

const queueOf = (...items: string[]): FairQueue<Item> => {
  const queue = new FairQueue<Item>();
  items.forEach((lane, n) => queue.push({ lane, n }));
  return queue;
};

const all = (): boolean => true;

const drain = (queue: FairQueue<Item>, mayHaveTurn = all): Item[] => {
  const taken: Item[] = [];
  for (let item = queue.shift(mayHaveTurn); item !== undefined; item = queue.shift(mayHaveTurn)) taken.push(item);
  return taken;
};

describe('a fair queue', () => {
  it('is empty at first', () => {
    expect(queueOf().shift(all)).toBeUndefined();
  });

  it('alternates between lanes, and keeps the order within each', () => {
    expect(drain(queueOf('a', 'a', 'a', 'b', 'c', 'c')).map(({ lane, n }) => lane + n)).toEqual([
      'a0',
      'b3',
      'c4',
      'a1',
      'c5',
      'a2',
    ]);
  });

  it('skips a blocked lane, which keeps its position', () => {
    const queue = queueOf('a', 'b', 'b');
    expect(queue.shift((lane) => lane !== 'a')).toEqual({ lane: 'b', n: 1 });
    expect(queue.shift(all)).toEqual({ lane: 'a', n: 0 });
    expect(queue.shift((lane) => lane !== 'b')).toBeUndefined();
    expect(queue.size).toBe(1);
  });

  it('does not return removed items', () => {
    const queue = queueOf('a');
    const item: Item = { lane: 'a', n: 9 };
    queue.push(item);
    expect([queue.remove(item), queue.remove(item)]).toEqual([true, false]);
    expect([...queue]).toEqual([{ lane: 'a', n: 0 }]);
    expect([queue.size, queue.sizeOf('a'), queue.sizeOf('b')]).toEqual([1, 1, 0]);
  });

  it('returns each item once, and never serves a lane twice while another one with fewer turns waits', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 40 }), (lanes) => {
        const taken = drain(queueOf(...lanes));
        expect(taken.map(({ n }) => n).sort((a, b) => a - b)).toEqual(lanes.map((_, n) => n));
        const turns = new Map<string, number>();
        taken.forEach(({ lane }, at) => {
          const had = (turns.get(lane) ?? 0) + 1;
          turns.set(lane, had);
          for (const other of taken.slice(at + 1)) expect((turns.get(other.lane) ?? 0) + 1).toBeGreaterThanOrEqual(had);
        });
      }),
    );
  });
});
