import { sliceWork, tick } from '../../../lib/compute';

const count = (turns: number): number => {
  let done = 0;
  while (done < turns) {
    tick(100);
    done += 1;
  }
  return done;
};

const forever = (): never => {
  for (;;) tick(1);
};

describe('a time slice', () => {
  it('returns or throws as its work does', () => {
    expect(sliceWork(() => count(10), 60_000)).toEqual({ kind: 'done', value: 10 });
    expect(() =>
      sliceWork(() => {
        throw new RangeError('wrong');
      }),
    ).toThrow(RangeError);
  });

  it('ends work that takes longer', () => {
    expect(sliceWork(forever, 1)).toEqual({ kind: 'too_long' });
  });

  it('does not count time before or after a slice', () => {
    expect(count(100_000)).toBe(100_000);
    expect(sliceWork(forever, 1)).toEqual({ kind: 'too_long' });
    expect(count(100_000)).toBe(100_000);
  });

  it('ends the outer slice when an inner one uses its time', () => {
    expect(sliceWork(() => sliceWork(forever, 60_000), 1)).toEqual({ kind: 'too_long' });
  });

  it('continues the outer slice after a shorter inner one', () => {
    expect(sliceWork(() => [sliceWork(forever, 1), count(3)], 60_000)).toEqual({
      kind: 'done',
      value: [{ kind: 'too_long' }, 3],
    });
  });
});
