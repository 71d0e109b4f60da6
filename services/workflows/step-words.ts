import type { Plan, PlanStep } from '../../dsl/plan';

const MAX_WORDS_CHARS = 20_000;

/** Ids, names and types of all steps, in lower case, one a line: what the search of the list finds steps by. */
export function stepWords({ steps, onError = [] }: Pick<Plan, 'steps' | 'onError'>): string {
  const words = new Set<string>();
  const waiting: PlanStep[] = [...steps, ...onError];
  for (let step = waiting.pop(); step !== undefined; step = waiting.pop()) {
    for (const { steps: inner } of step.blocks ?? []) waiting.push(...inner);
    for (const word of [step.id, step.name, step.type]) words.add(word.toLowerCase());
  }
  return [...words].join('\n').slice(0, MAX_WORDS_CHARS);
}
