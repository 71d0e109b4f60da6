import { text } from './params';
import { actions } from '../contract';
import * as s from '../../lib/schema';

const MAX_VIEWS = 30;
const MAX_QUERY_CHARS = 2_000;

const RunViewList = s.named(
  'RunViewList',
  s.object({
    views: s.array(
      s.object({
        name: s.text,
        query: s.text.about('Of `GET /api/v1/executions/visibility`; empty for all runs.'),
        trials: s.boolean.about('Whether trials are shown.'),
      }),
    ),
    revision: s.number.about('Rises with each change; 0 before the first.'),
  }),
  "A user's saved views of the list of runs.",
);
export type RunViewList = s.Infer<typeof RunViewList>;

/** Saved views of the list of runs. They belong to a user, and are removed with it. */
export const runViewActions = actions({
  run_views: {
    rest: 'GET /api/v1/me/run-views',
    access: 'viewer',
    integrators: true,
    repeatable: true,
    summary: "The caller's saved views of the list of runs",
    params: {},
    result: RunViewList,
  },
  put_run_views: {
    rest: 'PUT /api/v1/me/run-views',
    access: 'viewer',
    integrators: true,
    summary: "Replaces the caller's saved views of the list of runs",
    description: `At most ${MAX_VIEWS}, with names that differ. \`revision\`: of the list that was changed; 409 when it has changed since.`,
    params: {
      views: {
        type: 'array',
        max: MAX_VIEWS,
        items: {
          type: 'object',
          props: {
            name: text(60),
            query: { type: 'string', max: MAX_QUERY_CHARS },
            trials: 'boolean',
          },
        },
      },
      revision: { type: 'number', integer: true, min: 0 },
    },
    result: RunViewList,
    errors: ['conflict'],
  },
});
