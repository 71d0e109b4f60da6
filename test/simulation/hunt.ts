import type { Mutant } from './mutants';
import { type Plan, planOf } from './plan';
import { shrink } from './shrink';
import { type Report, simulate } from './simulate';

/** A seed with a violation. */
export interface Find {
  readonly seed: number;
  readonly rule: string;
  readonly what: string;
}

/** The outcome of a plan; an unexpected exception is a finding too. */
export async function outcomeOf(plan: Plan, mutant: Mutant = {}, keep = false): Promise<Report> {
  try {
    return await simulate(plan, mutant, keep);
  } catch (fault) {
    const what = fault instanceof Error ? (fault.stack ?? fault.message) : String(fault);
    return { violations: [{ rule: 'no surprise', what }], hash: '', lines: [], runs: 0 };
  }
}

/** Plays one seed; null without a violation. */
export async function play(seed: number, mutant: Mutant = {}): Promise<Find | null> {
  const [first] = (await outcomeOf(planOf(seed), mutant)).violations;
  return first === undefined ? null : { seed, ...first };
}

/** The first seed of a range with a violation; null when none has one. */
export async function firstFind(from: number, count: number, mutant: Mutant = {}): Promise<Find | null> {
  for (let seed = from; seed < from + count; seed++) {
    const find = await play(seed, mutant);
    if (find !== null) return find;
  }
  return null;
}

/** The shortest plan of the violation, its history, and the command that repeats it. */
export async function explain(find: Find, mutant: Mutant = {}): Promise<string> {
  const plan = await shrink(planOf(find.seed), async (candidate) => {
    const { violations } = await outcomeOf(candidate, mutant);
    return violations.some(({ rule }) => rule === find.rule);
  });
  const { lines, violations } = await outcomeOf(plan, mutant, true);
  const [first] = violations;
  return [
    `Seed ${find.seed} breaks "${find.rule}": ${first?.what ?? find.what}`,
    `Again: npm run simulate -- --only ${find.seed}`,
    `The shortest plan that was found: ${JSON.stringify({ ...plan, acts: undefined })}`,
    ...plan.acts.map((act) => `  ${JSON.stringify(act)}`),
    'Its history:',
    ...lines.map((line) => `  ${line}`),
  ].join('\n');
}
