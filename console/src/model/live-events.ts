import type { Refresh } from './refresh-queue';

/** Figures over many runs, which the server keeps for ten seconds. */
const FIGURES_AGE_MS = 10_000;
/** The last runs of workflows in their list are not read at every run of a busy workspace. */
const RECENT_RUNS_AGE_MS = 3_000;

const RUNS: readonly Refresh[] = [
  { key: ['runs', 'list'] },
  { key: ['runs', 'latest'] },
  { key: ['runs', 'activity'], serverAgeMs: FIGURES_AGE_MS },
  { key: ['workflows', 'health'], serverAgeMs: FIGURES_AGE_MS },
  { key: ['workflows', 'list'], serverAgeMs: RECENT_RUNS_AGE_MS },
];
const APPROVALS: readonly Refresh[] = [{ key: ['approvals'] }];
const SCHEDULES: readonly Refresh[] = [{ key: ['schedules'] }];
const KNOWLEDGE: readonly Refresh[] = [{ key: ['knowledge', 'list'] }];
const DELIVERIES: readonly Refresh[] = [{ key: ['deliveries', 'list'] }];
const WORKFLOWS: readonly Refresh[] = [
  { key: ['workflows', 'any'] },
  { key: ['workflows', 'list'] },
  { key: ['workflows', 'health'] },
];

/** Everything that events are about: after a gap in the stream. */
export const EVERYTHING: readonly Refresh[] = [
  { key: ['runs'] },
  { key: ['knowledge'] },
  ...APPROVALS,
  ...SCHEDULES,
  ...DELIVERIES,
  ...WORKFLOWS,
];

const textOf = (data: unknown, name: string): string | undefined => {
  const value: unknown = typeof data === 'object' && data !== null ? Reflect.get(data, name) : undefined;
  return typeof value === 'string' ? value : undefined;
};

/** What an event of `GET /api/v1/events` makes old. An event that is not known may be about anything. */
export function refreshesOf(event: string, data: unknown): readonly Refresh[] {
  const run = textOf(data, 'execution_id');
  const schedules = textOf(data, 'trigger_type') === 'schedule' ? SCHEDULES : [];
  const itself: readonly Refresh[] = run === undefined ? [] : [{ key: ['runs', run] }];
  switch (event) {
    case 'run.started':
      return [...RUNS, ...itself, ...schedules];
    case 'run.ended':
      // A short run has no event of its start.
      return [...RUNS, ...itself, ...APPROVALS, ...schedules];
    case 'approval.waiting':
    case 'approval.decided':
      return [{ key: ['runs', 'list'] }, { key: ['runs', 'latest'] }, ...itself, ...APPROVALS];
    case 'delivery.recorded':
      return DELIVERIES;
    case 'workflow.changed':
      return [...WORKFLOWS, ...SCHEDULES];
    case 'knowledge.changed': {
      const base = textOf(data, 'knowledge_base_id');
      return base === undefined ? KNOWLEDGE : [...KNOWLEDGE, { key: ['knowledge', base] }];
    }
    default:
      return EVERYTHING;
  }
}
