import { truthy } from '../../../dsl';
import type { Opening } from '../../record/entry';
import { evaluate } from './evaluate';
import type { Control } from './walked';

/** The block of the first case whose condition holds; which one is decided once, when the step begins. */
export const branch: Control<'branch'> = {
  begin(run, { conditions }, path) {
    for (const [index, condition] of conditions.entries()) {
      const found = evaluate(run, condition, path, `The condition of case ${index}`);
      if (found.kind === 'refused') return found;
      if (truthy(found.value)) return opened(index);
    }
    return opened('else');
  },

  walk({ step, opening: { chosen }, walk }) {
    const key = chosen === 'else' ? 'else' : `cases.${chosen}`;
    const walked = step.blocks.has(key) ? walk(key) : ({ kind: 'done' } as const);
    return walked.kind === 'done' ? { kind: 'done', output: { case: chosen } } : walked;
  },
};

const opened = (chosen: number | 'else'): { kind: 'opened'; opening: Opening } => ({
  kind: 'opened',
  opening: { kind: 'branch', chosen },
});
