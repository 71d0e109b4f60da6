import type { Engine } from '../../../lib/sandbox/engine';
import { Shelf } from '../../../lib/sandbox/shelf';

/** A shelf of named engines; `e` and a number in the order in which they were made. */
const shelfOf = (room: number) => {
  let made = 0;
  const shelf = new Shelf(room, async () => ({ name: `e${++made}`, spent: false }) as unknown as Engine);
  const use = async (lane: string, spent = false): Promise<string> => {
    const engine = (await shelf.take(lane)) as unknown as { name: string; spent: boolean };
    engine.spent = spent;
    shelf.put(lane, engine as unknown as Engine);
    return engine.name;
  };
  return { shelf, use };
};

describe('a shelf of engines', () => {
  it('gives a lane its own engine again, and never that of another lane', async () => {
    const { use } = shelfOf(2);
    expect([await use('a'), await use('b'), await use('a'), await use('b')]).toEqual(['e1', 'e2', 'e1', 'e2']);
  });

  it('keeps no engine that is spent', async () => {
    const { use } = shelfOf(2);
    expect([await use('a', true), await use('a')]).toEqual(['e1', 'e2']);
  });

  it('gives an engine to one at a time', async () => {
    const { shelf, use } = shelfOf(2);
    await use('a');
    expect(await shelf.take('a')).not.toBe(await shelf.take('a'));
  });

  it('lets that one go which has waited longest', async () => {
    const { use } = shelfOf(2);
    await use('a');
    await use('b');
    await use('a');
    await use('c');
    expect([await use('a'), await use('b')]).toEqual(['e1', 'e4']);
  });
});
