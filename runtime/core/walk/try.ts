import { failureJson } from '../decide/failure';
import type { Control, BlockStatus } from './control';

/**
 * Runs `steps`, `catch` after a failure, and `finally` in every case. The position follows from the status of the
 * blocks.
 */
export const tryStep: Control<'try'> = {
  begin: (_run, _control, _path, { blocks }) => ({
    kind: 'opened',
    controlState: { kind: 'try', ...(blocks.has('finally') ? { finally: true } : {}) },
  }),

  walk({ run, step, walk }) {
    const tried = walk('steps');
    if (tried.kind === 'open') return tried;
    const handled: BlockStatus = tried.kind === 'failed' && step.blocks.has('catch') ? walk('catch') : tried;
    if (handled.kind === 'open') return handled;
    const last: BlockStatus = step.blocks.has('finally') ? walk('finally') : handled;
    if (last.kind === 'open' || last.kind === 'failed') return last;
    if (handled.kind === 'failed') return handled;
    const error = tried.kind === 'failed' ? failureJson(run.plan, tried.failure) : null;
    return { kind: 'done', output: { failed: error !== null, error } };
  },
};
