import { monthOf } from '../../lib/month';
import { addUsd } from '../../lib/usd';
import type { Call } from '../../contracts/catalogue';
import type { DayFigures } from '../../contracts/executions/views';
import type { MetricsView } from '../../contracts/billing';

const MEBIBYTE = 1_048_576;

/** The limits of a tenant's plan, and the usage. */
export async function usageOf(
  call: Call,
  tenantId: string,
  now: number,
): Promise<Pick<MetricsView, 'plan' | 'limits' | 'overrides' | 'usage' | 'period'>> {
  const asService = { asServiceOf: tenantId };
  const [{ plan, limits, overrides }, { executions }, { active }, { members }, knowledge, files] = await Promise.all([
    call('auth.entitlements', {}, asService),
    call('executions.usage', {}, asService),
    call('workflows.beyond', { keep: Number.MAX_SAFE_INTEGER }, asService),
    call('auth.seats', {}, asService),
    call('knowledge.usage', {}, asService),
    call('files.usage', {}, asService),
  ]);
  const { start, end } = monthOf(now);
  return {
    plan,
    limits,
    overrides,
    usage: {
      active_workflows: active,
      executions_per_month: executions,
      members,
      knowledge_base_mb: mebibytes(knowledge.bytes),
      storage_mb: mebibytes(files.bytes),
    },
    period: { start: new Date(start).toISOString(), end: new Date(end).toISOString() },
  };
}

/** Rounded up to a hundredth. */
const mebibytes = (bytes: number): number => Math.ceil((bytes / MEBIBYTE) * 100) / 100;

/** The sums of all days. Pure. */
export function sumsOf(days: readonly DayFigures[]): Pick<MetricsView, 'executions' | 'steps' | 'tokens' | 'cost_usd'> {
  const sum = (of: (day: DayFigures) => number): number => days.reduce((total, day) => total + of(day), 0);
  return {
    executions: {
      total: sum((day) => day.total),
      running: sum((day) => day.running),
      completed: sum((day) => day.completed),
      failed: sum((day) => day.failed),
      cancelled: sum((day) => day.cancelled),
    },
    steps: sum((day) => day.steps),
    tokens: sum((day) => day.tokens),
    cost_usd: days.reduce((total, day) => addUsd(total, day.cost_usd), 0),
  };
}
