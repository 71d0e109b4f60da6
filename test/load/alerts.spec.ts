import type { Json } from '../../lib/json';
import { Installation } from '../e2e/support/installation';
import { Api } from '../support/server';
import { type Answer, type Asked, type SourceServer, startSourceServer } from '../support/source-server';
import { until } from '../support/until';

const WORKFLOWS = 24;
const FAILURES = 5;
const KILLS = 6;

interface Notice {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly workflow: { readonly id: string }; readonly count: number; readonly executions: Json[] };
}

let installation: Installation;
let receiver: SourceServer;
let owner: Api;
let answer: (asked: Asked) => Answer = () => ({});

beforeAll(async () => {
  receiver = await startSourceServer((asked) => answer(asked));
  installation = await Installation.make();
  await installation.start({ EGRESS_ALLOW: new URL(receiver.url).host });
  owner = new Api(installation.url);
  await owner.register('alerts');
}, 60_000);
afterAll(async () => {
  await installation?.remove();
  await receiver?.close();
});

/** One that fails unless the body says otherwise. */
const flow = (n: number) => ({
  name: `Flow ${n}`,
  dsl: {
    id: 'flow',
    trigger: { type: 'http' },
    steps: [{ id: 'stop', type: 'fail', if: '{{ trigger.body.fails }}', config: { message: 'stopped' } }],
  },
});

/** Starts a run, as often as it takes to have it accepted; the key makes it one run. */
async function start(workflow: string, fails: boolean, key: string): Promise<void> {
  await until(
    `the run ${key} is accepted`,
    async () => {
      const headers = { 'idempotency-key': key };
      const api = new Api(installation.url);
      const sent = await api.ask('POST', `/webhooks/${workflow}`, { fails }, headers).catch(() => null);
      return sent?.status === 202 ? true : null;
    },
    60_000,
  );
}

const notices = (): Notice[] => receiver.asked.map(({ body }) => body as unknown as Notice);

test('every notice is sent, under one id, however often the server is killed', async () => {
  const workflows: string[] = [];
  for (let n = 0; n < WORKFLOWS; n += 1)
    workflows.push((await owner.call<{ id: string }>('POST', '/api/v1/workflows', flow(n))).id);
  await owner.call('POST', '/api/v1/alerts', {
    name: 'All',
    condition: { kind: 'failures_in_row', failures: FAILURES },
    channels: [{ kind: 'webhook', url: `${receiver.url}/hook` }],
    quiet_period: '7d',
  });
  // A receiver that fails at times: what it refused is not lost.
  let asked = 0;
  answer = () => ((asked += 1) % 7 === 0 ? { status: 500 } : {});
  const starting = Promise.all(
    workflows.map(async (workflow) => {
      for (let n = 0; n < FAILURES; n += 1) await start(workflow, true, `${workflow}-${n}`);
    }),
  );
  for (let kill = 1; kill <= KILLS; kill += 1) {
    // Some arrive before each kill, so that it comes amid all that there is to do.
    const some = Math.floor((kill * WORKFLOWS) / (KILLS + 2));
    await until('some have arrived', () => notices().length >= Math.min(some, WORKFLOWS - 1), 120_000);
    await installation.server.kill();
    await installation.start({ EGRESS_ALLOW: new URL(receiver.url).host });
  }
  await starting;
  const opened = () =>
    new Set(notices().flatMap(({ type, data }) => (type === 'alert.opened' ? data.workflow.id : [])));
  await until('all are opened', () => opened().size === WORKFLOWS, 120_000);
  await Promise.all(workflows.map((workflow) => start(workflow, false, `${workflow}-good`)));
  const ended = (): Notice[] => notices().filter(({ type }) => type === 'alert.recovered');
  const over = (): Set<string> => new Set(ended().map(({ data }) => data.workflow.id));
  await until('all are over', () => over().size === WORKFLOWS, 120_000);
  const ids = new Map<string, Set<string>>();
  for (const { id, type, data } of notices()) {
    const key = `${type} ${data.workflow.id}`;
    ids.set(key, (ids.get(key) ?? new Set()).add(id));
  }
  expect(ids.size).toBe(2 * WORKFLOWS);
  for (const [key, each] of ids) expect([key, each.size]).toEqual([key, 1]);
  // Each failure is counted, and none twice.
  for (const { data } of ended()) expect(data.count).toBe(FAILURES);
}, 300_000);
