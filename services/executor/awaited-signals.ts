import type { Plan, PlanStep } from '../../dsl/plan';
import type { ErrorDetail } from '../../lib/errors';

/** Signal names that a warning lists. */
const MAX_NAMED = 20;

/** The signals that steps of the plan wait for; null when an expression computes one of them. */
function awaitedSignals({ steps, onError = [] }: Pick<Plan, 'steps' | 'onError'>): ReadonlySet<string> | null {
  const names = new Set<string>();
  const waiting: PlanStep[] = [...steps, ...onError];
  for (let step = waiting.pop(); step !== undefined; step = waiting.pop()) {
    for (const block of step.blocks ?? []) waiting.push(...block.steps);
    if (step.type !== 'wait_for_signal') continue;
    const { signal } = step.config;
    if (typeof signal !== 'string' || signal.includes('{{')) return null;
    names.add(signal);
  }
  return names;
}

/** A warning when no step of the plan waits for the signal: it is stored, but never consumed. */
export function unawaited(plan: Pick<Plan, 'steps' | 'onError'>, signal: string): ErrorDetail[] {
  const names = awaitedSignals(plan);
  if (names === null || names.has(signal)) return [];
  const known = [...names].slice(0, MAX_NAMED).join(', ');
  const hint = known === '' ? 'the workflow waits for no signals' : `the workflow waits for ${known}`;
  return [{ path: 'signal', message: `no step of the workflow waits for "${signal}"`, hint }];
}
