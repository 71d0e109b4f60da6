import { truthy } from '../../../dsl';
import type { ControlState } from '../entries/entry';
import { evaluate } from './evaluate';
import type { Control } from './control';

/** Runs the block of the first case whose condition holds; it is chosen once, when the step begins. */
export const branch: Control<'branch'> = {
  begin(run, { conditions }, path) {
    for (const [index, condition] of conditions.entries()) {
      const found = evaluate(run, condition, path, `The condition of case ${index}`);
      if (found.kind !== 'value') return found;
      if (truthy(found.value)) return opened(index);
    }
    return opened('else');
  },

  walk({ step, controlState: { chosen }, walk }) {
    const key = chosen === 'else' ? 'else' : `cases.${chosen}`;
    const walked = step.blocks.has(key) ? walk(key) : ({ kind: 'done' } as const);
    return walked.kind === 'done' ? { kind: 'done', output: { case: chosen } } : walked;
  },
};

const opened = (chosen: number | 'else'): { kind: 'opened'; controlState: ControlState } => ({
  kind: 'opened',
  controlState: { kind: 'branch', chosen },
});
