import { Breath } from '../../../runtime/actor/breath';

/** Attempts that ask without end; how many go on before the others have had their turn. */
function atOnce(breath: Breath): number {
  let count = 0;
  while (breath.take() === null) count += 1;
  return count;
}

describe('attempts that wait for nothing', () => {
  it('pause after some dozens, and go on after the turn of the others, whenever that is', async () => {
    const turns: (() => void)[] = [];
    const breath = new Breath((goOn) => void turns.push(goOn));
    const first = atOnce(breath);
    expect(first).toBeGreaterThan(10);
    let went = 0;
    for (let n = 0; n < 3; n++) void breath.take()?.then(() => (went += 1));
    await new Promise((resolve) => setImmediate(resolve));
    expect([turns.length, went]).toEqual([1, 0]);
    turns.shift()?.();
    await Promise.resolve();
    expect(went).toBe(3);
    expect(atOnce(breath)).toBe(first);
  });

  it('by themselves wait for one turn of the process', async () => {
    const breath = new Breath();
    atOnce(breath);
    await breath.take();
    expect(breath.take()).toBeNull();
  });
});
