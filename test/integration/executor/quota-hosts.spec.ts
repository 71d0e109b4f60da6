import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openTestDatabase } from '../../support/app';
import { openHouse } from './house';

const LIMIT = 40;
const HOSTS = 3;

test('several processes exceed the limit at most by the runs that they start between two checks, and then all refuse', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'quota-'));
  const plans = join(dir, 'plans.json');
  await writeFile(plans, JSON.stringify({ free: { executions_per_month: LIMIT } }));
  const database = await openTestDatabase();
  const houses = await Promise.all(
    Array.from({ length: HOSTS }, () => openHouse({ database, env: { PLANS_FILE: plans }, namespace: randomUUID() })),
  );
  try {
    const [first] = houses as [(typeof houses)[number]];
    const id = await first.workflow([{ id: 'a', type: 'log', config: { message: 'x' } }]);
    const refusals = houses.map(() => 0);
    let started = 0;
    const deadline = Date.now() + 60_000;
    // Each starts ten a second, until each has been refused.
    while (refusals.some((n) => n < 3)) {
      if (Date.now() > deadline) throw new Error(`After ${started} starts not all have refused: ${refusals.join()}`);
      for (const [n, house] of houses.entries()) {
        await house.t.call('workflows.trigger', { id, trigger: {} }, first.ann).then(
          () => (started += 1),
          (fault: { type?: string }) => {
            expect(fault.type).toBe('quota_exceeded');
            refusals[n] = (refusals[n] as number) + 1;
          },
        );
      }
      await sleep(100);
    }
    expect(started).toBeGreaterThanOrEqual(LIMIT);
    // Two others, each with the starts of about a second, and of the second that a reading leaves out.
    expect(started).toBeLessThanOrEqual(LIMIT + (HOSTS - 1) * 20);
    const { executions } = await first.t.call('executions.usage', {}, { ...first.ann, role: 'service' });
    expect(executions).toBe(started);
  } finally {
    await Promise.all(houses.map((house) => house.close()));
    await database.close();
    await rm(dir, { recursive: true });
  }
}, 120_000);
