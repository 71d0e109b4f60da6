import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionDocument } from '../../runtime/mongo/documents';
import { Cluster } from '../support/cluster';
import { describeWith } from '../support/daemons';
import type { Part } from '../support/part';
import { Api } from '../support/server';
import { until } from '../support/until';

/** How many slots fall due in all, and how many a second: `npm run chaos:schedules` takes ten thousand. */
const SLOTS = Number(process.env.SCHEDULE_SLOTS ?? 120);
const RATE = Number(process.env.SCHEDULE_RATE ?? 10);
const SECONDS = Math.ceil(SLOTS / RATE);
const KILL_EVERY_MS = 4_000;
/** The remaining runs are started within this time after the last slot, also on a busy machine. */
const CATCH_UP_MS = 60_000 + SLOTS * 20;

interface StoredSchedule {
  _id: string;
  workflow_id: string;
  anchor: Date;
  next_at: Date;
}

describeWith('nats', { own: true })('two schedulers and three executors', () => {
  let cluster: Cluster;
  let api: Api;
  let dir: string;
  const schedulers: Part[] = [];

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'everstep-plans-'));
    const plans = join(dir, 'plans.json');
    const unlimited = { active_workflows: null, executions_per_month: null, concurrent_executions: null };
    writeFileSync(plans, JSON.stringify({ free: unlimited }));
    const needs = { executors: 3, gateways: 1, env: { PLANS_FILE: plans }, schedulers: 2 };
    cluster = (await Cluster.start(needs)) as Cluster;
    schedulers.push(...cluster.schedulers);
    api = new Api(cluster.url);
    await api.register('schedules');
  }, 180_000);

  afterAll(async () => {
    await cluster?.remove();
    await rm(dir, { recursive: true, force: true });
  });

  async function beat(): Promise<string> {
    const trigger = { type: 'schedule', config: { every: '1s', missed: 'all', window: '1h' } };
    const dsl = {
      id: 'beat',
      trigger,
      steps: [{ id: 's', type: 'set', config: { at: '{{ trigger.scheduled_for }}' } }],
    };
    return (await api.call<{ id: string }>('POST', '/api/v1/workflows', { name: 'Beat', dsl })).id;
  }

  const schedules = () => cluster.db.collection<StoredSchedule>('schedules').find().toArray();

  /** The slots for which runs were started, by workflow, and the number of completed runs. */
  async function started(): Promise<{ slots: Map<string, string[]>; completed: number }> {
    const slots = new Map<string, string[]>();
    let completed = 0;
    for await (const run of cluster.db.collection<ExecutionDocument>('executions').find()) {
      const trigger = JSON.parse('json' in run.trigger ? run.trigger.json : '{}') as { scheduled_for?: string };
      slots.set(run.workflow_id, [...(slots.get(run.workflow_id) ?? []), String(trigger.scheduled_for)]);
      if (run.status === 'completed') completed += 1;
    }
    return { slots, completed };
  }

  /** Kills and restarts one executor after the other. */
  async function kills(end: number): Promise<number> {
    let count = 0;
    for (; Date.now() + KILL_EVERY_MS < end; count += 1) {
      await sleep(KILL_EVERY_MS);
      const victim = schedulers[count % schedulers.length] as Part;
      await victim.kill();
      await victim.start();
    }
    return count;
  }

  it(
    `start each of ${SLOTS} slots once, while schedulers are killed`,
    async () => {
      const workflows: string[] = [];
      for (let n = 0; n < RATE; n += 1) workflows.push(await beat());
      const end = Date.now() + SECONDS * 1_000;
      const killed = await kills(end);
      await sleep(Math.max(0, end - Date.now()));
      await until(
        'everything that was due is started',
        async () => (await schedules()).every(({ next_at }) => next_at.getTime() > end),
        CATCH_UP_MS,
      );

      const due = new Map(
        (await schedules()).map(({ workflow_id, anchor }) => {
          const first = anchor.getTime() + 1_000;
          const count = Math.max(0, Math.floor((end - first) / 1_000) + 1);
          return [workflow_id, Array.from({ length: count }, (_, n) => new Date(first + n * 1_000).toISOString())];
        }),
      );
      expect([...due.keys()].sort()).toEqual([...workflows].sort());
      const within = (slots: string[]): string[] => slots.filter((slot) => Date.parse(slot) <= end).sort();
      const { slots } = await started();
      for (const [workflow, wanted] of due) expect(within(slots.get(workflow) ?? [])).toEqual(wanted);
      const total = [...due.values()].flat().length;
      expect(total).toBeGreaterThan(SLOTS * 0.8);
      expect(killed).toBeGreaterThan(0);
      await until('the runs have completed', async () => (await started()).completed >= total, CATCH_UP_MS);
      process.stdout.write(`${total} slots of ${workflows.length} schedules, each started once over ${killed} kills\n`);
    },
    SECONDS * 1_000 + 2 * CATCH_UP_MS,
  );
});
