import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { settle } from '../../support/manual-clock';
import { World } from '../../support/runtime/world';

setFlagsFromString('--expose_gc');
const collect = runInNewContext('gc') as () => void;

describe('a host', () => {
  it('keeps no timer, actor or memory of ended runs', async () => {
    const world = new World();
    const { host } = world.host(null, { capacity: 1_000 });
    await host.start();
    const pure = world.plan([{ id: 'a', type: 'set', config: { v: '{{ trigger.n }}' } }]);
    const working = world.plan([
      { id: 'a', type: 'effect', config: {} },
      { id: 'b', type: 'wait', config: { for: '1ms' } },
    ]);
    let begun = 0;
    const run = async (count: number): Promise<number> => {
      for (const end = begun + count; begun < end; ) {
        for (let n = 0; n < 100; n++, begun++) {
          const plan = begun % 10 === 0 ? working : pure;
          const started = host.begin(
            world.execution(`r${begun}`, plan, { n: begun, fill: 'x'.repeat(200) }),
            plan,
            begun % 3 === 0 ? Number.POSITIVE_INFINITY : 0,
          );
          void started.catch(() => {});
        }
        for (let turn = 0; turn < 20 && (turn === 0 || host.running > 0); turn++) {
          await settle(2);
          world.clock.advance(1);
        }
        expect(host.running).toBe(0);
        // What a database and a test remember is not the host's.
        for (const map of [world.db.executions, world.db.journals, world.db.mail, world.db.payloads]) map.clear();
        world.endings.length = 0;
        world.outside.ran.clear();
        world.outside.seen.length = 0;
        for (const { connection } of world.hosts) connection.log.length = 0;
      }
      collect();
      return process.memoryUsage().heapUsed;
    };
    const before = await run(4_000);
    const timers = world.clock.pending;
    const after = await run(20_000);
    expect(world.faults).toEqual([]);
    expect(world.clock.pending).toBeLessThanOrEqual(timers + 1);
    // Less than a hundred bytes a run would still be two megabytes.
    expect((after - before) / 20_000).toBeLessThan(50);
  }, 120_000);
});
