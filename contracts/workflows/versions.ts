import { actions } from '../contract';
import { id } from '../rules';
import { number, which } from './params';
import { WorkflowView } from './views';
import { pageParams } from '../../lib/page';
import * as s from '../../lib/schema';

export const VersionRow = s.named(
  'VersionRow',
  s.object({
    version: s.number,
    message: s.text.nullable(),
    dsl_hash: s.text,
    created_by: s.text,
    author: s.text
      .nullable()
      .about('E-mail address of who saved it; null for a service, and for versions of releases without this field.'),
    created_at: s.text,
  }),
  'A saved version without its DSL. Version numbers of a workflow increase by one.',
);
export type VersionRow = s.Infer<typeof VersionRow>;

export const VersionView = s.named(
  'VersionView',
  VersionRow.extend({
    dsl: s.jsonObject,
  }),
);
export type VersionView = s.Infer<typeof VersionView>;

export const ValueChange = s.named(
  'ValueChange',
  s.object({
    path: s.text,
    before: s.json.optional(),
    after: s.json.optional(),
  }),
  'A value at a path of a document; what is absent on one side is left out there.',
);
export type ValueChange = s.Infer<typeof ValueChange>;

export const StepPlace = s.named(
  'StepPlace',
  s.object({
    id: s.text,
    type: s.text,
    within: s.text.about('The block that it is in: `steps`, or one of a step, such as `check.cases.0`.'),
  }),
);
export type StepPlace = s.Infer<typeof StepPlace>;

export const DslDiffView = s.named(
  'DslDiffView',
  s.object({
    same: s.boolean,
    steps: s.object({
      added: s.array(StepPlace),
      removed: s.array(StepPlace),
      moved: s
        .array(
          s.object({
            id: s.text,
            from: s.text,
            to: s.text,
          }),
        )
        .about('In another block, or in another order.'),
      changed: s.array(
        s.object({
          id: s.text,
          changes: s.array(ValueChange),
        }),
      ),
    }),
    document: s.array(ValueChange).about('Outside of steps.'),
    truncated: s.boolean.about('There are more changes than are listed.'),
  }),
  'The differences between two documents. Steps are identified by their ids.',
);
export type DslDiffView = s.Infer<typeof DslDiffView>;

export const versionsActions = actions({
  save_version: {
    rest: 'POST /api/v1/workflows/:id/versions',
    status: 201,
    access: 'member',
    idempotency: 'replay',
    integrators: true,
    summary: 'Saves the current DSL as the next version',
    params: { id, message: { type: 'string', trim: true, max: 1_000, optional: true } },
    result: VersionView,
    errors: ['not_found', 'conflict'],
  },
  versions: {
    rest: 'GET /api/v1/workflows/:id/versions',
    access: 'viewer',
    paged: true,
    repeatable: true,
    integrators: true,
    summary: 'Versions of a workflow, newest first',
    params: { ...pageParams, id },
    result: s.listed(VersionRow),
    errors: ['not_found'],
  },
  version: {
    rest: 'GET /api/v1/workflows/:id/versions/:version',
    access: 'viewer',
    repeatable: true,
    integrators: true,
    summary: 'A version with its DSL',
    params: { id, version: number },
    result: VersionView,
    errors: ['not_found'],
  },
  restore_version: {
    rest: 'POST /api/v1/workflows/:id/versions/:version/restore',
    access: 'member',
    integrators: true,
    summary: 'Replaces the current DSL by that of a version',
    params: { id, version: number },
    result: WorkflowView,
    errors: ['not_found', 'invalid_dsl', 'conflict', 'workflow_limit'],
  },
  compare_versions: {
    rest: 'GET /api/v1/workflows/:id/versions/:from/diff/:to',
    access: 'viewer',
    repeatable: true,
    integrators: true,
    summary: 'The differences between two versions; `current` is the current DSL',
    description: '`from` and `to`: numbers of versions, or `current`.',
    params: { id, from: which, to: which },
    result: DslDiffView.extend({ from: s.text, to: s.text }),
    errors: ['not_found'],
  },
});
