import { Gatherings } from '../../../runtime/worker/gatherings';
import type { GatheringStore } from '../../../runtime/ports/gathering-store';

const RULE = { kind: 'debounce', slot: 'slot', key: '', periodMs: 300, maxWaitMs: 60_000, maxSize: null } as const;

describe('a start whose run is named, and not stored yet', () => {
  it('stays with that run when a host reads the slot before the run was named', async () => {
    const slots = ['old', 'new', 'new'];
    const moves: string[] = [];
    const stored = new Set(['old']);
    const gatherings = {
      current: async () => slots.shift() ?? 'new',
      mark: async () => ({ run: 'new', digest: null }),
      move: async (_: string, before: string, next: string) => void moves.push(`${before} to ${next}`),
      find: async (id: string) => (stored.has(id) ? { gathering: null, isEnding: true } : null),
    } satisfies Partial<GatheringStore> as unknown as GatheringStore;
    const inserted: string[] = [];
    const host = new Gatherings({
      store: {
        insert: async ({ id }: { id: string }) => {
          inserted.push(id);
          return 'inserted';
        },
        load: async () => null,
      } as never,
      gatherings,
      clock: { now: () => 1_000 } as never,
      poke: () => undefined,
    });
    const fresh = { id: 'start', trigger: {}, concurrency: null, deadlineAt: null, startedAt: 1_000 } as never;
    const start = { fresh, rule: RULE, digest: null, repeatable: true, newId: () => 'newer' };
    expect(await host.add(start)).toEqual({ kind: 'created', id: 'new' });
    expect([moves, inserted]).toEqual([[], ['new']]);
  });
});
