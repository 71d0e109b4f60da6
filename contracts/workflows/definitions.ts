import { actions } from '../contract';
import { forceParam, id } from '../rules';
import { ErrorDetail } from '../shared';
import { approveParams, createParams, listParams, updateParams } from './params';
import { UsedBy } from '../used-by';
import { WorkflowFile, WorkflowRow, WorkflowView } from './views';
import * as s from '../../lib/schema';

export const definitionsActions = actions({
  list: {
    rest: 'GET /api/v1/workflows',
    access: 'viewer',
    paged: true,
    repeatable: true,
    integrators: true,
    summary: 'Lists workflows with their last runs; by text, tag, folder, status, trigger and environment',
    description:
      '`q`: part of the name, the description, a tag, or the id, name or type of a step, in any case. `folder`: with the folders in it. `trigger`: the type of a trigger. `sort`: `-created_at` unless given; `-` for descending order.',
    params: listParams,
    result: s.listed(WorkflowRow).extend({
      next_cursor: s.text.nullable().about('For the page that follows in the same order; null after the last.'),
    }),
  },
  create: {
    rest: 'POST /api/v1/workflows',
    status: 201,
    access: 'member',
    idempotency: 'replay',
    integrators: true,
    summary: 'Creates a workflow',
    description:
      '`publish: false`: `dsl` is stored as the draft of the workflow and need not be valid. The workflow has the version 0 and a document without steps, and cannot be started or enabled, until its draft is published.',
    params: createParams,
    result: WorkflowView,
    errors: ['invalid_dsl', 'workflow_limit', 'quota_exceeded', 'payload_too_large', 'conflict'],
  },
  duplicate: {
    rest: 'POST /api/v1/workflows/:id/duplicate',
    status: 201,
    access: 'member',
    idempotency: 'replay',
    integrators: true,
    summary: 'Copies a workflow under the name "<name> (copy)"',
    description:
      'The copy has the document, the description and the environment of the workflow, a webhook address of its own without a key, and no runs. It is disabled, so nothing starts it, and it does not count as an active workflow, until it is enabled.',
    params: { id },
    result: WorkflowView,
    errors: ['not_found', 'invalid_dsl', 'quota_exceeded', 'payload_too_large', 'conflict'],
  },
  get: {
    rest: 'GET /api/v1/workflows/:id',
    access: 'viewer',
    repeatable: true,
    integrators: true,
    summary: 'A workflow',
    params: { id },
    result: WorkflowView,
    errors: ['not_found'],
  },
  update: {
    rest: 'PUT /api/v1/workflows/:id',
    access: 'member',
    given: ['if_match'],
    integrators: true,
    summary: 'Changes the given fields',
    description:
      '`If-Match`: the `dsl_hash` of the document that the caller has seen, in quotes; 412 if the workflow has another one by now.',
    params: updateParams,
    result: WorkflowView,
    errors: ['not_found', 'invalid_dsl', 'precondition_failed', 'workflow_limit', 'payload_too_large', 'conflict'],
  },
  remove: {
    rest: 'DELETE /api/v1/workflows/:id',
    status: 204,
    access: 'admin',
    integrators: true,
    summary: 'Removes a workflow with its executions',
    params: { id, force: forceParam },
    result: s.nothing,
    errors: ['not_found', 'conflict'],
  },
  enable: {
    rest: 'PUT /api/v1/workflows/:id/enable',
    access: 'member',
    integrators: true,
    summary: 'Enables a workflow',
    params: { id },
    result: WorkflowView,
    errors: ['not_found', 'workflow_limit', 'conflict'],
  },
  disable: {
    rest: 'PUT /api/v1/workflows/:id/disable',
    access: 'member',
    integrators: true,
    summary: 'Disables a workflow',
    params: { id },
    result: WorkflowView,
    errors: ['not_found', 'conflict'],
  },
  approve: {
    rest: 'POST /api/v1/workflows/:id/approve',
    access: 'admin',
    integrators: true,
    summary: 'Approves a workflow that a member created or changed',
    description: '`version` or `dsl_hash`: of the document that was reviewed; the workflow must still have it.',
    params: approveParams,
    result: WorkflowView,
    errors: ['not_found', 'workflow_limit', 'conflict'],
  },
  validate: {
    rest: 'POST /api/v1/workflows/validate',
    access: 'viewer',
    repeatable: true,
    integrators: true,
    summary: 'Checks a document without storing it',
    params: { dsl: { type: 'any' } },
    result: s.object({
      valid: s.boolean,
      errors: s.array(ErrorDetail),
      warnings: s.array(ErrorDetail),
    }),
    errors: ['payload_too_large'],
  },
  used_by: {
    rest: 'GET /api/v1/workflows/:id/used-by',
    access: 'viewer',
    repeatable: true,
    integrators: true,
    summary: 'Workflows that start or follow a workflow, and where',
    params: { id },
    result: UsedBy,
    errors: ['not_found'],
  },
  folders: {
    rest: 'GET /api/v1/workflows/folders',
    access: 'viewer',
    repeatable: true,
    integrators: true,
    summary: 'Folders and tags of workflows, with the number of workflows',
    params: {},
    result: s.object({
      folders: s
        .array(s.object({ folder: s.text, workflows: s.number }))
        .about('By name; each counts the workflows in it, not in folders in it. An empty name: in no folder.'),
      tags: s.array(s.object({ tag: s.text, workflows: s.number })).about('By name.'),
    }),
  },
  export: {
    rest: 'GET /api/v1/workflows/:id/export',
    access: 'viewer',
    repeatable: true,
    integrators: true,
    summary: 'The workflow as a file',
    params: { id },
    result: s.object({
      filename: s.text,
      file: WorkflowFile,
    }),
    errors: ['not_found', 'conflict'],
  },
  import: {
    rest: 'POST /api/v1/workflows/import',
    status: 201,
    access: 'member',
    idempotency: 'replay',
    integrators: true,
    summary: 'Creates a workflow from an exported file',
    params: { $$strict: false },
    result: WorkflowView,
    errors: ['invalid_dsl', 'workflow_limit', 'quota_exceeded', 'payload_too_large', 'conflict'],
  },
});
