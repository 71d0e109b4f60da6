import type { HourFigures, SubscriptionView, WorkflowHealth } from '../../../clients/typescript/src/api.ts';
import type { Bar } from './chart';

/** Bars of the chart, in the order of RUN_SERIES, with the hour of the user's zone. */
export const activityBars = (hours: readonly HourFigures[], hourOf: (at: string) => string): Bar[] =>
  hours.map(({ at, completed, failed, running, cancelled }) => ({
    label: hourOf(at),
    values: [completed, failed, running, cancelled],
  }));

export const RUN_SERIES = [
  { label: 'Completed', tone: 'ok' },
  { label: 'Failed', tone: 'danger' },
  { label: 'Running', tone: 'info' },
  { label: 'Cancelled', tone: 'neutral' },
] as const;

const MAX_FAILING = 5;

/** Workflows with failed runs, the most first. */
export const failingWorkflows = (health: readonly WorkflowHealth[]): WorkflowHealth[] =>
  health
    .filter(({ failed }) => failed > 0)
    .sort((a, b) => b.failed - a.failed)
    .slice(0, MAX_FAILING);

/** The failed runs of a workflow in the last day, as the list of runs takes it. */
export const failedRunsQuery = (name: string): string =>
  `ExecutionStatus = "Failed" AND WorkflowType = ${JSON.stringify(name)} AND StartTime > now() - 1d`;

/** Names of limits as people read them. */
const LIMITS = {
  executions_per_month: 'Executions this month',
  active_workflows: 'Active workflows',
  members: 'Members',
  storage_mb: 'File storage in MB',
  knowledge_base_mb: 'Knowledge bases in MB',
} as const satisfies Partial<Record<keyof SubscriptionView['limits'], string>>;

interface UsedLimit {
  readonly label: string;
  readonly value: number;
  readonly max: number;
}

/** From this share on, a limit is near its end. */
const NEAR = 0.8;

/** Limits of the plan that are near their end, the fullest first. */
export function limitsNearEnd({ limits, usage }: Pick<SubscriptionView, 'limits' | 'usage'>): UsedLimit[] {
  const keys = Object.keys(LIMITS) as (keyof typeof LIMITS)[];
  return keys
    .flatMap((key) => {
      const max = limits[key];
      return max === null || usage[key] < NEAR * max ? [] : [{ label: LIMITS[key], value: usage[key], max }];
    })
    .sort((a, b) => b.value / Math.max(1, b.max) - a.value / Math.max(1, a.max));
}
