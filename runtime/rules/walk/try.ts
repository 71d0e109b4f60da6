import { failureJson } from '../failure';
import type { Control, Walked } from './walked';

/** Steps, those for their failure, and those that come whatever happened. Where it is follows from how its blocks stand. */
export const tryStep: Control<'try'> = {
  begin: (_run, _control, _path, { blocks }) => ({
    kind: 'opened',
    opening: { kind: 'try', ...(blocks.has('finally') ? { finally: true } : {}) },
  }),

  walk({ run, step, walk }) {
    const tried = walk('steps');
    if (tried.kind === 'open') return tried;
    const handled: Walked = tried.kind === 'failed' && step.blocks.has('catch') ? walk('catch') : tried;
    if (handled.kind === 'open') return handled;
    const last: Walked = step.blocks.has('finally') ? walk('finally') : handled;
    if (last.kind === 'open' || last.kind === 'failed') return last;
    if (handled.kind === 'failed') return handled;
    const error = tried.kind === 'failed' ? failureJson(run.plan, tried.failure) : null;
    return { kind: 'done', output: { failed: error !== null, error } };
  },
};
