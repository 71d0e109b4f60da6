import type { BackfillView, ScheduleRow, ScheduleView } from '../../../contracts/scheduler';
import type { Json } from '../../../lib/json';
import { auditService } from '../../../services/audit/audit.service';
import { schedulerService } from '../../../services/scheduler/scheduler.service';
import { openSite, type Site, type User } from '../executor/site';

const HOUR = 3_600_000;

let site: Site;
beforeAll(async () => {
  site = await openSite({ more: [auditService, (app) => schedulerService(app)] });
});
afterAll(() => site?.close());

const hourly = { type: 'schedule', config: { cron: '0 * * * *' } };
const DONE: Json[] = [{ id: 's', type: 'set', config: { at: '{{ trigger.scheduled_for }}' } }];

/** The `n`th full hour before now. */
const hoursAgo = (n: number): string => new Date((Math.floor(Date.now() / HOUR) - n) * HOUR).toISOString();

async function list(user: User, query = ''): Promise<{ data: ScheduleRow[]; next_cursor: string | null }> {
  const { status, body } = await user.request('GET', `/api/v1/schedules${query}`);
  expect([status, body.error]).toEqual([200, undefined]);
  return body as unknown as { data: ScheduleRow[]; next_cursor: string | null };
}

const act = (user: User, id: string, verb: string, body: Json = {}) =>
  user.request('POST', `/api/v1/workflows/${id}/schedule/${verb}`, body);

async function backfill(user: User, id: string, body: Json): Promise<BackfillView> {
  const answer = await act(user, id, 'backfill', body);
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  return answer.body as unknown as BackfillView;
}

const runsOf = async (user: User, id: string): Promise<string[]> => {
  const { body } = await user.request('GET', `/api/v1/executions?workflow_id=${id}&limit=200`);
  return (body.data as unknown as { id: string }[]).map((run) => run.id);
};

describe('the list of schedules', () => {
  it('has every schedule of the tenant, and none of another one', async () => {
    const [ann, bob] = [await site.user(), await site.user()];
    const id = await ann.workflow(DONE, {
      trigger: undefined as never,
      triggers: [{ type: 'manual' }, hourly, { type: 'schedule', config: { every: '90s', timezone: 'Europe/Berlin' } }],
    });
    await bob.workflow(DONE, { trigger: hourly });
    const { data } = await list(ann);
    expect(data).toMatchObject([
      { workflow_id: id, workflow_name: 'Flow', trigger: 1, cron: '0 * * * *', timezone: 'UTC', paused: false },
      { workflow_id: id, trigger: 2, every: '90s', timezone: 'Europe/Berlin', workflow_enabled: true, recent_runs: [] },
    ]);
    expect(data[0]?.next_runs).toHaveLength(5);
    expect(data[0]?.next_at).toBe(hoursAgo(-1));
    expect((await list(ann, '?next_runs=24')).data[0]?.next_runs.at(-1)).toBe(hoursAgo(-24));
  });

  it('is paged by cursor in both orders, the soonest first by `sort=next`', async () => {
    const ann = await site.user();
    const ids: string[] = [];
    for (const every of ['3h', '1h', '2h']) {
      ids.push(await ann.workflow(DONE, { trigger: { type: 'schedule', config: { every } } }));
    }
    const walk = async (sort: string): Promise<string[]> => {
      const seen: string[] = [];
      for (let query: string | null = `?limit=1&sort=${sort}`; query !== null; ) {
        const { data, next_cursor }: Awaited<ReturnType<typeof list>> = await list(ann, query);
        seen.push(...data.map((row) => row.workflow_id));
        query = next_cursor === null ? null : `?limit=1&sort=${sort}&cursor=${next_cursor}`;
      }
      return seen;
    };
    expect(await walk('next')).toEqual([ids[1], ids[2], ids[0]]);
    expect(await walk('workflow')).toEqual([...ids].sort());
    const { next_cursor } = await list(ann, '?limit=1&sort=next');
    const refused = await ann.request('GET', `/api/v1/schedules?sort=workflow&cursor=${next_cursor}`);
    expect([refused.status, refused.body.code]).toEqual([400, 'invalid_request']);
    expect((await list(ann, `?workflow_id=${ids[1]}`)).data.map((row) => row.every)).toEqual(['1h']);
  });
});

describe('a paused schedule', () => {
  it('has no next start while its workflow stays enabled, also after a change of the workflow', async () => {
    const ann = await site.user();
    const id = await ann.workflow(DONE, { trigger: hourly });
    const { status, body } = await act(ann, id, 'pause');
    expect([status, body]).toMatchObject([200, { paused: true, schedule_paused: true, next_runs: [] }]);
    const workflow = await ann.request('GET', `/api/v1/workflows/${id}`);
    expect(workflow.body.enabled).toBe(true);
    const dsl = { id: 'flow', trigger: { type: 'schedule', config: { cron: '30 * * * *' } }, steps: DONE };
    await ann.request('PUT', `/api/v1/workflows/${id}`, { dsl });
    await ann.request('PUT', `/api/v1/workflows/${id}/disable`, {});
    await ann.request('PUT', `/api/v1/workflows/${id}/enable`, {});
    const { data } = await list(ann, '?paused=true');
    expect(data).toMatchObject([{ cron: '30 * * * *', paused: true, workflow_enabled: true, next_at: null }]);
    expect((await act(ann, id, 'resume')).body).toMatchObject({ paused: false, schedule_paused: false });
    expect((await list(ann, '?paused=true')).data).toEqual([]);
  });

  it('stays paused after it is resumed while its workflow is disabled', async () => {
    const ann = await site.user();
    const id = await ann.workflow(DONE, { trigger: hourly });
    await ann.request('PUT', `/api/v1/workflows/${id}/disable`, {});
    await act(ann, id, 'pause');
    const { body } = await act(ann, id, 'resume');
    expect(body).toMatchObject({ paused: true, schedule_paused: false });
    await ann.request('PUT', `/api/v1/workflows/${id}/enable`, {});
    expect((await list(ann)).data[0]).toMatchObject({ paused: false, next_at: hoursAgo(-1) });
  });

  it('is recorded in the audit log', async () => {
    const ann = await site.user();
    const id = await ann.workflow(DONE, { trigger: hourly });
    await act(ann, id, 'pause');
    const { body } = await ann.request('GET', '/api/v1/audit?action=schedule.pause');
    expect(body.data).toMatchObject([{ target: { type: 'workflow', id, name: 'Flow' }, after: { trigger: 0 } }]);
  });
});

describe('a start by hand', () => {
  it('is a run of the schedule, and is in its history, also while the schedule is paused', async () => {
    const ann = await site.user();
    const id = await ann.workflow(DONE, { trigger: hourly });
    await act(ann, id, 'pause');
    const { status, body } = await act(ann, id, 'fire');
    expect(status).toBe(202);
    const run = await ann.ended(String(body.execution_id));
    expect(run).toMatchObject({ status: 'completed', trigger_type: 'schedule', trigger: { cron: '0 * * * *' } });
    expect(run.trigger).toMatchObject({ scheduled_for: body.scheduled_for });
    const [row] = (await list(ann)).data;
    expect(row?.recent_runs).toMatchObject([
      { outcome: 'manual', execution_id: body.execution_id, status: 'completed' },
    ]);
  });

  it('of a disabled workflow is refused, and one without a schedule has none', async () => {
    const ann = await site.user();
    const id = await ann.workflow(DONE, { trigger: hourly });
    await ann.request('PUT', `/api/v1/workflows/${id}/disable`, {});
    expect((await act(ann, id, 'fire')).body.code).toBe('workflow_disabled');
    const plain = await ann.workflow(DONE);
    expect((await act(ann, plain, 'fire')).status).toBe(404);
    expect((await act(ann, id, 'fire', { trigger: 3 })).status).toBe(404);
    const bob = await site.user();
    expect((await act(bob, id, 'pause')).status).toBe(404);
  });
});

describe('a backfill', () => {
  const range = () => ({ from: hoursAgo(4), to: hoursAgo(1) });

  it('starts each fire time of the range once, with its time, however often it is asked for', async () => {
    const ann = await site.user();
    const id = await ann.workflow(DONE, { trigger: hourly });
    const planned = await backfill(ann, id, { ...range(), dry_run: true });
    expect(planned.data).toEqual(
      [4, 3, 2, 1].map((n) => ({ scheduled_for: hoursAgo(n), execution_id: null, outcome: 'planned' })),
    );
    expect(await runsOf(ann, id)).toEqual([]);
    const [first, second] = await Promise.all([backfill(ann, id, range()), backfill(ann, id, range())]);
    const started = [...first.data, ...second.data].filter(({ outcome }) => outcome === 'started');
    expect(started.map((slot) => slot.scheduled_for).sort()).toEqual([4, 3, 2, 1].map(hoursAgo));
    const again = await backfill(ann, id, range());
    expect(again).toMatchObject({ next_from: null, stopped: null });
    expect(again.data.map(({ outcome }) => outcome)).toEqual(['exists', 'exists', 'exists', 'exists']);
    expect(new Set(await runsOf(ann, id))).toEqual(new Set(again.data.map((slot) => slot.execution_id)));
    const run = await ann.ended(String(again.data[0]?.execution_id));
    expect(run).toMatchObject({ trigger_type: 'schedule', trigger: { scheduled_for: hoursAgo(4) } });
    const { body } = await ann.request('GET', `/api/v1/workflows/${id}/schedule`);
    const { recent_runs } = body.schedule as unknown as ScheduleView;
    expect(recent_runs.map(({ scheduled_for, outcome }) => [scheduled_for, outcome])).toEqual(
      [1, 2, 3, 4].map((n) => [hoursAgo(n), 'backfilled']),
    );
  });

  it('of more times than one call starts is continued by the next call', async () => {
    const ann = await site.user();
    const id = await ann.workflow(DONE, { trigger: hourly });
    const asked = { from: hoursAgo(400), to: hoursAgo(1), dry_run: true };
    const first = await backfill(ann, id, asked);
    expect(first.data).toHaveLength(300);
    expect(first.next_from).toBe(hoursAgo(100));
    const rest = await backfill(ann, id, { ...asked, from: first.next_from });
    expect([rest.data.length, rest.next_from]).toEqual([100, null]);
  });

  it.each([
    [{ from: hoursAgo(1), to: hoursAgo(2) }, "'to' is before 'from'"],
    [{ from: hoursAgo(1), to: hoursAgo(-2) }, "'to' is in the future"],
    [{ from: hoursAgo(400 * 24), to: hoursAgo(1) }, 'longer than 366 days'],
    [{ from: 'yesterday..', to: hoursAgo(1) }, "'from' must be a time"],
  ])('refuses the range %j', async (asked, message) => {
    const ann = await site.user();
    const id = await ann.workflow(DONE, { trigger: hourly });
    const { status, body } = await act(ann, id, 'backfill', asked);
    expect([status, body.error]).toEqual([400, expect.stringContaining(message)]);
  });

  it('of a disabled workflow starts nothing', async () => {
    const ann = await site.user();
    const id = await ann.workflow(DONE, { trigger: hourly });
    await ann.request('PUT', `/api/v1/workflows/${id}/disable`, {});
    const { status, body } = await act(ann, id, 'backfill', range());
    expect([status, body.code]).toEqual([409, 'workflow_disabled']);
    expect(await runsOf(ann, id)).toEqual([]);
  });
});
