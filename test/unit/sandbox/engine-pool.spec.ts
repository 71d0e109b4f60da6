import type { Engine } from '../../../lib/sandbox/engine';
import { EnginePool } from '../../../lib/sandbox/engine-pool';

/** A pool of engines with names: `e` and a number in the order of their creation. */
const shelfOf = (room: number) => {
  let made = 0;
  const shelf = new EnginePool(room, async () => ({ name: `e${++made}`, spent: false }) as unknown as Engine);
  const use = async (lane: string, spent = false): Promise<string> => {
    const engine = (await shelf.take(lane)) as unknown as { name: string; spent: boolean };
    engine.spent = spent;
    shelf.put(lane, engine as unknown as Engine);
    return engine.name;
  };
  return { shelf, use };
};

describe('an engine pool', () => {
  it('reuses the engine of a lane, and never that of another lane', async () => {
    const { use } = shelfOf(2);
    expect([await use('a'), await use('b'), await use('a'), await use('b')]).toEqual(['e1', 'e2', 'e1', 'e2']);
  });

  it('does not keep a used-up engine', async () => {
    const { use } = shelfOf(2);
    expect([await use('a', true), await use('a')]).toEqual(['e1', 'e2']);
  });

  it('lends an engine to one caller at a time', async () => {
    const { shelf, use } = shelfOf(2);
    await use('a');
    expect(await shelf.take('a')).not.toBe(await shelf.take('a'));
  });

  it('evicts the engine that was idle longest', async () => {
    const { use } = shelfOf(2);
    await use('a');
    await use('b');
    await use('a');
    await use('c');
    expect([await use('a'), await use('b')]).toEqual(['e1', 'e4']);
  });
});
