import { readConfig } from '../../../../lib/config';
import { MOST_ARENA_BYTES } from '../../../../services/knowledge/index/engine/arena';
import { build } from '../../../../services/knowledge/index/engine/build';
import type { BuiltSegment } from '../../../../services/knowledge/index/engine/calls';
import { Slices } from '../../../../services/knowledge/index/engine/slices';
import { Residents } from '../../../../services/knowledge/index/space/residents';
import { spaceOf } from '../../../../services/knowledge/index/space/space';

const SEGMENTS = ['a', 'b', 'c', 'd'];
/** Until whatever waits for nobody has gone on. */
const settled = async (): Promise<void> => {
  for (let n = 0; n < 20; n++) await new Promise((resolve) => setImmediate(resolve));
};

const space = spaceOf({ tenantId: 't', baseId: 'b' }, { kind: 'lexical' }, 1);

describe('segments in memory', () => {
  let built: BuiltSegment;
  beforeAll(async () => {
    const chunks = Array.from({ length: 50 }, (_, n) => ({ n, text: `word${n} and more` }));
    built = await build({ kind: 'lexical', documents: [{ id: 'd', revision: 1, chunks }] }, new Slices());
  });

  /** A search of one segment that goes on until it is told to end. */
  function search(residents: Residents, id: string) {
    const { documents, rows, table, data } = built;
    const entry = { id, seq: 1, documents, rows, bytes: table.length + data.length };
    let end = (): void => undefined;
    const state = { begun: false };
    const done = residents.with(space, [entry], async () => {
      state.begun = true;
      await new Promise<void>((resolve) => (end = resolve));
    });
    return { state, done, end: () => end() };
  }

  /** With an engine that is there. */
  const roomFor = async (count: number): Promise<Residents> => {
    const bytes = built.table.length + built.data.length + built.rows * 5;
    const store = { read: async () => ({ table: built.table.slice(), data: built.data.slice() }) };
    const residents = new Residents({ store, room: count * bytes, worker: null, warn: () => undefined });
    await residents.with(space, [], (engine) => engine.ask('drop', { id: 'none' }));
    return residents;
  };

  it('are never more than there is room for, however many search at once: the others wait in their order', async () => {
    const residents = await roomFor(2);
    const searches = SEGMENTS.map((id) => search(residents, id));
    const begun = async (): Promise<boolean[]> => {
      await settled();
      return searches.map(({ state }) => state.begun);
    };
    expect(await begun()).toEqual([true, true, false, false]);
    const again = search(residents, 'a');
    searches[1]?.end();
    expect(await begun()).toEqual([true, true, true, false]);
    expect(again.state.begun).toBe(false);
    searches[0]?.end();
    expect(await begun()).toEqual([true, true, true, true]);
    searches[2]?.end();
    await begun();
    expect(again.state.begun).toBe(true);
    for (const { end } of [...searches, again]) end();
    await Promise.all([...searches, again].map(({ done }) => done));
  });

  it('find the memory that may be configured for them: vectors have four gibibytes at most', () => {
    expect(readConfig({ KNOWLEDGE_INDEX_MB: '4000' }).knowledgeIndexBytes).toBeLessThan(MOST_ARENA_BYTES);
    expect(() => readConfig({ KNOWLEDGE_INDEX_MB: '4096' })).toThrow('KNOWLEDGE_INDEX_MB');
  });

  it('that are more than the room are searched by themselves, and nobody waits for what is closed', async () => {
    const residents = await roomFor(0.5);
    const [first, second] = ['a', 'b'].map((id) => search(residents, id));
    await settled();
    expect([first?.state.begun, second?.state.begun]).toEqual([true, false]);
    const waiting = expect(second?.done).rejects.toThrow('closed');
    await residents.close();
    await waiting;
    first?.end();
    await first?.done;
  });
});
