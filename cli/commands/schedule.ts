import type { JsonObject } from '../../lib/json';
import { type Command, command } from '../command';
import { CliError } from '../exits';
import { objectAt, objectsAt, textAt, workflowIdOf, workflowPath } from '../workflows';

const WORKFLOW = [{ name: 'ID|NAME' }] as const;
const TRIGGER = {
  trigger: { type: 'string', value: 'N', help: 'the schedule by the index of its trigger; the first one unless given' },
} as const;
const MAX_SCHEDULES = 10_000;

/** The body that picks a schedule of the workflow. @throws CliError (usage) */
function triggerOf({ trigger }: { readonly trigger: string | undefined }): { trigger?: number } {
  if (trigger === undefined) return {};
  if (!/^\d{1,3}$/.test(trigger)) throw new CliError('usage', '--trigger takes a number, from 0');
  return { trigger: Number(trigger) };
}

const timesOf = (row: JsonObject): string => textAt(row, 'cron') || `every ${textAt(row, 'every')}`;

/** Lists the schedules of all workflows. */
export const listSchedules = command({
  name: 'schedule list',
  summary: 'Lists the schedules of all workflows',
  async run({ session }) {
    const rows = await session.client.list('/api/v1/schedules', MAX_SCHEDULES);
    session.answer(rows, () =>
      session.world.out.table(
        ['WORKFLOW', 'TRIGGER', 'TIMES', 'TIME ZONE', 'NEXT START'],
        rows.map((row) => [
          textAt(row, 'workflow_name'),
          textAt(row, 'trigger'),
          timesOf(row),
          textAt(row, 'timezone'),
          row.paused === true ? 'paused' : textAt(row, 'next_at'),
        ]),
      ),
    );
    return 'ok';
  },
});

const holding = (verb: 'pause' | 'resume', summary: string): Command =>
  command({
    name: `schedule ${verb}`,
    summary,
    args: WORKFLOW,
    options: TRIGGER,
    async run({ args: [which = ''], options, session }) {
      const id = await workflowIdOf(session.client, which);
      const state = await session.client.call('POST', `${workflowPath(id)}/schedule/${verb}`, triggerOf(options));
      session.answer(state, () => session.world.out.line(`The schedule of ${which} is ${verb}d`));
      return 'ok';
    },
  });

export const pause = holding('pause', 'Pauses a schedule; its workflow stays enabled');
export const resume = holding('resume', 'Resumes a paused schedule');

/** Starts a run of a schedule now. */
export const fire = command({
  name: 'schedule fire',
  summary: 'Starts a run of a schedule now',
  args: WORKFLOW,
  options: TRIGGER,
  async run({ args: [which = ''], options, session }) {
    const id = await workflowIdOf(session.client, which);
    const started = await session.client.call('POST', `${workflowPath(id)}/schedule/fire`, triggerOf(options));
    session.answer(started, () => session.world.out.line(textAt(started, 'execution_id')));
    return 'ok';
  },
});

/** Starts the times of a range that have no run, in as many calls as it takes. */
export const backfill = command({
  name: 'schedule backfill',
  summary: 'Starts the times of a past range that have no run',
  args: WORKFLOW,
  options: {
    ...TRIGGER,
    from: { type: 'string', value: 'TIME', help: 'the first time, such as 2026-11-20T00:00:00Z' },
    to: { type: 'string', value: 'TIME', help: 'the last time' },
    'dry-run': { type: 'boolean', help: 'shows the times, and starts nothing' },
  },
  async run({ args: [which = ''], options, session }) {
    const { from, to } = options;
    if (from === undefined || to === undefined) throw new CliError('usage', '--from and --to are needed');
    const id = await workflowIdOf(session.client, which);
    const asked = { ...triggerOf(options), to, dry_run: options['dry-run'] };
    const rows: JsonObject[] = [];
    for (let next: string | null = from; next !== null; ) {
      const answer: JsonObject = await session.client.call('POST', `${workflowPath(id)}/schedule/backfill`, {
        ...asked,
        from: next,
      });
      const found = objectsAt(answer, 'data');
      rows.push(...found);
      if (!session.json) {
        for (const row of found)
          session.world.out.line(
            `${textAt(row, 'scheduled_for')}  ${textAt(row, 'outcome')}  ${textAt(row, 'execution_id')}`.trimEnd(),
          );
      }
      if (answer.stopped !== null && answer.stopped !== undefined)
        throw new CliError(
          'refused',
          `stopped at ${textAt(answer, 'next_from')}: ${textAt(objectAt(answer, 'stopped'), 'message')}`,
        );
      next = typeof answer.next_from === 'string' ? answer.next_from : null;
    }
    if (session.json) session.world.out.json(rows);
    return 'ok';
  },
});

/** Shows the schedule of a workflow. */
export const schedule = command({
  name: 'schedule',
  summary: 'Shows the schedule of a workflow',
  args: WORKFLOW,
  notes: ['Further commands: schedule list, schedule pause, schedule resume, schedule fire, schedule backfill.'],
  async run({ args: [which = ''], session }) {
    const { client, world } = session;
    const id = await workflowIdOf(client, which);
    const state = await client.call('GET', `${workflowPath(id)}/schedule`);
    const several = objectsAt(state, 'schedules');
    const schedules = several.length > 0 ? several : state.schedule === null ? [] : [objectAt(state, 'schedule')];
    session.answer(state, () => {
      if (schedules.length === 0) world.out.line(which, ' has no schedule');
      for (const each of schedules) {
        const zone = textAt(each, 'timezone');
        const paused = each.paused === true ? ', paused' : '';
        world.out.line(textAt(each, 'type'), ' ', timesOf(each), zone === '' ? '' : ` (${zone})`, paused);
        for (const time of Array.isArray(each.next_runs) ? each.next_runs : []) world.out.line('  ', String(time));
      }
    });
    return 'ok';
  },
});
