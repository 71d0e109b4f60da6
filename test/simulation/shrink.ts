/** Makes a plan that fails as short as it gets (delta debugging), so that a person can read what happens in it. */
import type { Act, Plan } from './plan';

/** Returns whether a plan has the same violation. */
export type Fails = (plan: Plan) => Promise<boolean>;

export async function shrink(plan: Plan, fails: Fails): Promise<Plan> {
  let best = plan;
  for (const simpler of [{ rough: 0 }, { lostHints: 0 }, { machines: best.machines.map(calm) }]) {
    const candidate = { ...best, ...simpler };
    if (await fails(candidate)) best = candidate;
  }
  best = { ...best, acts: await shortest(best.acts, (acts) => fails({ ...best, acts })) };
  while (best.machines.length > 1) {
    const last = best.machines.length - 1;
    const candidate = { ...best, machines: best.machines.slice(0, last) };
    if (best.acts.some((act) => usesMachine(act, last)) || !(await fails(candidate))) break;
    best = candidate;
  }
  return best;
}

const calm = ({ capacity }: Plan['machines'][number]): Plan['machines'][number] => ({ capacity, offsetMs: 0 });

const usesMachine = (act: Act, index: number): boolean =>
  ('machine' in act && act.machine === index) || (act.kind === 'start' && act.again === index);

/** Removes ever smaller parts, as long as the rest still fails. */
async function shortest(
  acts: readonly Act[],
  fails: (acts: readonly Act[]) => Promise<boolean>,
): Promise<readonly Act[]> {
  let kept = acts;
  for (let size = Math.ceil(acts.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < kept.length; ) {
      const rest = [...kept.slice(0, at), ...kept.slice(at + size)];
      if (await fails(rest)) kept = rest;
      else at += size;
    }
  }
  return kept;
}
