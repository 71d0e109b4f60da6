import { truthy, iterationPath } from '../../../dsl';
import { evaluate } from './evaluate';
import { type Control, OPEN, ownFailure } from './control';

/** Repeats one block while its condition holds. The condition is evaluated before each iteration. */
export const whileLoop: Control<'while'> = {
  begin: () => ({ kind: 'opened', controlState: { kind: 'while' } }),

  walk(container) {
    const { run, path, control, opened, walk } = container;
    for (;;) {
      const walked = opened.iteration < 0 ? null : walk('steps', iterationPath(path, opened.iteration));
      if (walked !== null && walked.kind !== 'done') return walked;
      if (run.atEntryLimit) return OPEN;
      const index = opened.iteration + 1;
      // Evaluated in the scope of the next iteration.
      const at = `${iterationPath(path, index)}/`;
      const found = evaluate(run, control.condition, at, 'The condition of this loop');
      if (found.kind === 'later') return OPEN;
      run.state.evaluations.delete(at);
      if (found.kind === 'refused') return ownFailure(container, found.error.code, found.error.message);
      if (!truthy(found.value)) return { kind: 'done', output: { iterations: index } };
      if (index >= control.maxIterations)
        return ownFailure(
          container,
          'too_many_iterations',
          `The loop has reached its limit of ${index} iterations; raise max_iterations or change the condition`,
        );
      run.emit({ kind: 'loop.turn', path, at: run.now, index });
    }
  },
};
