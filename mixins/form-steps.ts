import type { Plan, PlanStep } from '../dsl/plan';

/** A step of the type `wait_for_form` whose page may follow another one. */
interface FormStep {
  readonly id: string;
  /** It may ask several times. */
  readonly isInLoop: boolean;
}

const LOOPS: ReadonlySet<string> = new Set(['foreach', 'while']);

/** The steps of a plan that the person who sent its form may be shown as next pages. Pure. */
export function pageSteps({ steps, onError = [] }: Pick<Plan, 'steps' | 'onError'>): FormStep[] {
  const found: FormStep[] = [];
  const open = [...steps, ...onError].map((step) => ({ step, isInLoop: false }));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { step, isInLoop } = next;
    if (isPage(step)) found.push({ id: step.id, isInLoop });
    const isLoop = isInLoop || LOOPS.has(step.type);
    for (const block of step.blocks ?? [])
      for (const inner of block.steps) open.push({ step: inner, isInLoop: isLoop });
  }
  return found;
}

const isPage = ({ type, config }: PlanStep): boolean => type === 'wait_for_form' && config.access !== 'link';
