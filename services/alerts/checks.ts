import type { AlertCondition } from '../../contracts/alerts';
import type { Call } from '../../contracts/catalogue';
import type { DayFigures } from '../../contracts/executions/views';
import { addUsd } from '../../lib/usd';
import type { Rule } from './rule';
import { msOf } from './rules/condition';
import type { Facts } from './rules/meter';

/** What was read of a workflow; of the tenant where the id is null. */
interface Checked {
  readonly workflowId: string | null;
  readonly workflowName: string | null;
  readonly facts: Facts;
}

type Of<K extends AlertCondition['kind']> = Extract<AlertCondition, { kind: K }>;

/** Decisions on fire times are stored a moment after they were made. */
const OVERLAP_MS = 60_000;

/** What to check of a rule. `firing`: ids of the workflows of which it holds. */
interface Check {
  readonly rule: Rule;
  readonly since: number;
  readonly now: number;
  readonly firing: readonly string[];
}

/** What there is to say of a rule that is checked, since the last check. @throws when it cannot be read */
export async function checkedFacts(call: Call, check: Check): Promise<Checked[]> {
  const { rule, now } = check;
  const { condition, record } = rule;
  const asService = { asServiceOf: record.tenant_id };
  switch (condition.kind) {
    case 'missed_schedule':
      return missedTimes(call, check, condition);
    case 'long_run': {
      const asked = { state: condition.state, before: now - msOf(condition.longer_than), ...scopeOf(rule) };
      const { data } = await call('executions.lasting', asked, asService);
      return data.map(({ workflow_id, workflow_name, since: first, total, execution_ids }) => ({
        workflowId: workflow_id,
        workflowName: workflow_name,
        facts: { kind: 'long_run', since: first, total, runs: execution_ids },
      }));
    }
    case 'budget': {
      const [spent, limit] = [
        await spentOf(call, record.tenant_id, condition, now),
        await limitOf(call, rule, condition),
      ];
      return [{ workflowId: null, workflowName: null, facts: { kind: 'budget', spent, limit } }];
    }
    default:
      return [];
  }
}

const scopeOf = ({ scope }: Rule) => (scope.kind === 'tenant' ? {} : { workflow_ids: scope.workflow_ids });

async function missedTimes(
  call: Call,
  { rule, since, now, firing }: Check,
  condition: Of<'missed_schedule'>,
): Promise<Checked[]> {
  const { counts_from: from, tenant_id } = rule.record;
  const asked = {
    grace_ms: msOf(condition.grace),
    since: since - OVERLAP_MS,
    now,
    ...scopeOf(rule),
  };
  const { data, scheduled } = await call('scheduler.fire_times', asked, { asServiceOf: tenant_id });
  const groups = new Map<string, { at: number; id: string; inTime: boolean; decidedAt: number | null }[]>();
  for (const { workflow_id, id, at, in_time, decided_at } of data) {
    // What the rule was made after is none of its business, except a time that is still to come.
    if (decided_at !== null && decided_at < from.getTime()) continue;
    const group = groups.get(workflow_id) ?? [];
    groups.set(workflow_id, group);
    group.push({ id, at, inTime: in_time, decidedAt: decided_at });
  }
  const names = await namesOf(call, tenant_id, [...groups.keys()]);
  const due = [...groups].map(
    ([workflowId, times]): Checked => ({
      workflowId,
      workflowName: names.get(workflowId) ?? null,
      facts: { kind: 'missed_schedule', times, isScheduled: true },
    }),
  );
  const gone = firing.filter((id) => !scheduled.includes(id));
  return [
    ...due,
    ...gone.map(
      (workflowId): Checked => ({
        workflowId,
        workflowName: null,
        facts: { kind: 'missed_schedule', times: [], isScheduled: false },
      }),
    ),
  ];
}

/** Names of workflows; those that are gone have none. */
async function namesOf(call: Call, tenantId: string, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const { data } = await call('workflows.names', { ids: [...ids] }, { asServiceOf: tenantId });
  return new Map(data.map(({ id, name }) => [id, name]));
}

async function spentOf(call: Call, tenantId: string, { of, per }: Of<'budget'>, now: number): Promise<number> {
  const asService = { asServiceOf: tenantId };
  if (of === 'executions' && per === 'month') return (await call('executions.usage', {}, asService)).executions;
  const days = per === 'day' ? 1 : new Date(now).getUTCDate();
  const { data } = await call('executions.figures', { days }, asService);
  return data.reduce((sum, day) => added(sum, day, of), 0);
}

function added(sum: number, day: DayFigures, of: Of<'budget'>['of']): number {
  switch (of) {
    case 'cost_usd':
      return addUsd(sum, day.cost_usd);
    case 'tokens':
      return sum + day.tokens;
    case 'executions':
      return sum + day.total;
  }
}

/** Null: the plan has no limit. */
async function limitOf(call: Call, { record }: Rule, condition: Of<'budget'>): Promise<number | null> {
  if (condition.percent_of_plan === undefined) return condition.above ?? null;
  const { limits } = await call('auth.entitlements', {}, { asServiceOf: record.tenant_id });
  const { executions_per_month: most } = limits;
  return most === null ? null : (most * condition.percent_of_plan) / 100;
}
