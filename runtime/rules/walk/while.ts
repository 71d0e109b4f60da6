import { truthy, turnPath } from '../../../dsl';
import { evaluate } from './evaluate';
import { type Control, OPEN, ownFailure } from './walked';

/** One block again and again, as long as its condition holds, which is asked before each turn. */
export const whileLoop: Control<'while'> = {
  begin: () => ({ kind: 'opened', opening: { kind: 'while' } }),

  walk(holder) {
    const { run, path, control, opened, walk } = holder;
    for (;;) {
      const walked = opened.turn < 0 ? null : walk('steps', turnPath(path, opened.turn));
      if (walked !== null && walked.kind !== 'done') return walked;
      if (run.full) return OPEN;
      const index = opened.turn + 1;
      // As a step of the coming turn would see it.
      const found = evaluate(run, control.condition, `${turnPath(path, index)}/`, 'The condition of this loop');
      if (found.kind === 'refused') return ownFailure(holder, found.error.code, found.error.message);
      if (!truthy(found.value)) return { kind: 'done', output: { iterations: index } };
      if (index >= control.maxIterations)
        return ownFailure(holder, 'too_many_iterations', `The loop has turned ${index} times, and may turn no more`);
      run.emit({ kind: 'loop.turn', path, at: run.now, index });
    }
  },
};
