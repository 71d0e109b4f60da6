import { actions } from '../contract';
import { id } from '../rules';
import { draftParams, ifMatch, publishParams } from './params';
import { DslDiffView, VersionRow } from './versions';
import { WorkflowView } from './views';
import * as s from '../../lib/schema';

export const DraftView = s.named(
  'DraftView',
  s.object({
    workflow_id: s.text,
    dsl: s.jsonObject.about('As it was stored; it need not be valid.'),
    dsl_hash: s.text.about('Of this document; the `ETag` of the draft.'),
    base_hash: s.text.about('`dsl_hash` of the live document that the draft changes.'),
    live_hash: s.text.about('`dsl_hash` of the live document now; another one than `base_hash`: it has changed since.'),
    created_by: s.text,
    updated_by: s.text,
    created_at: s.text,
    updated_at: s.text,
  }),
  'The unpublished document of a workflow; each workflow has at most one.',
);
export type DraftView = s.Infer<typeof DraftView>;

export const draftsActions = actions({
  draft: {
    rest: 'GET /api/v1/workflows/:id/draft',
    access: 'viewer',
    repeatable: true,
    integrators: true,
    summary: 'The draft of a workflow; null when it has none',
    params: { id },
    result: DraftView.nullable(),
    errors: ['not_found'],
  },
  put_draft: {
    rest: 'PUT /api/v1/workflows/:id/draft',
    access: 'member',
    given: ['if_match', 'if_none_match'],
    integrators: true,
    summary: 'Stores the draft of a workflow, which need not be valid',
    description:
      '`If-Match`: the `dsl_hash` of the draft that is replaced; `If-None-Match: *`: only where there is no draft yet. Otherwise 412. `base_hash`: the live document that the draft changes; absent: that of the draft before, or the live one.',
    params: draftParams,
    result: DraftView,
    errors: ['not_found', 'precondition_failed', 'payload_too_large', 'conflict'],
  },
  remove_draft: {
    rest: 'DELETE /api/v1/workflows/:id/draft',
    status: 204,
    access: 'member',
    given: ['if_match'],
    integrators: true,
    summary: 'Discards the draft of a workflow',
    params: { id, if_match: ifMatch },
    result: s.nothing,
    errors: ['not_found', 'precondition_failed'],
  },
  diff_draft: {
    rest: 'GET /api/v1/workflows/:id/draft/diff',
    access: 'viewer',
    repeatable: true,
    integrators: true,
    summary: 'The differences between the live document and the draft',
    params: { id },
    result: DslDiffView.extend({
      base_hash: s.text,
      live_hash: s.text,
      draft_hash: s.text,
    }),
    errors: ['not_found'],
  },
  publish: {
    rest: 'POST /api/v1/workflows/:id/publish',
    access: 'member',
    given: ['if_match'],
    integrators: true,
    summary: 'Makes the draft, or a given document, the live one, and saves it as a version',
    description:
      'The first publication of a workflow that was created as a draft enables it. 412 if the live document is another one than the draft was made from; `If-Match` names the live document instead. `draft_hash`: the draft must still be this one. The draft is removed. Where the tenant requires approval, what a member publishes waits for it.',
    params: publishParams,
    result: s.object({ workflow: WorkflowView, version: VersionRow }),
    errors: ['not_found', 'invalid_dsl', 'precondition_failed', 'workflow_limit', 'payload_too_large', 'conflict'],
  },
});
