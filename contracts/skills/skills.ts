import { actions } from '../contract';
import { forceParam, id, typed } from '../rules';
import { fields } from './params';
import { type SkillFields, SkillRow, SkillView } from './views';
import { pageParams } from '../../lib/page';
import * as s from '../../lib/schema';

export const skillsActions = actions({
  list: {
    rest: 'GET /api/v1/skills',
    access: 'viewer',
    paged: true,
    repeatable: true,
    integrators: true,
    summary: 'Skills of the tenant',
    params: pageParams,
    result: s.listed(SkillRow),
  },
  create: {
    rest: 'POST /api/v1/skills',
    status: 201,
    access: 'member',
    idempotency: 'replay',
    integrators: true,
    summary: 'Creates a skill; takes what `parse` gives',
    params: typed<SkillFields & { name: string; description: string }>()(fields),
    result: SkillView,
    errors: ['conflict', 'payload_too_large', 'quota_exceeded'],
  },
  get: {
    rest: 'GET /api/v1/skills/:id',
    access: 'viewer',
    repeatable: true,
    integrators: true,
    summary: 'A skill with its instructions and files',
    params: { id },
    result: SkillView,
    errors: ['not_found'],
  },
  update: {
    rest: 'PUT /api/v1/skills/:id',
    access: 'member',
    integrators: true,
    summary: 'Changes the given fields; `files` as a whole',
    description: 'Changes the fields that are given; `files` as a whole.',
    params: typed<SkillFields & { id: string }>()({ id, ...fields }),
    result: SkillView,
    errors: ['not_found', 'conflict', 'forbidden', 'payload_too_large', 'quota_exceeded'],
  },
  remove: {
    rest: 'DELETE /api/v1/skills/:id',
    status: 204,
    access: 'member',
    integrators: true,
    summary: 'Deletes a skill; takes one out of the registry first, which needs an admin',
    params: { id, force: forceParam },
    result: s.nothing,
    errors: ['not_found', 'conflict', 'forbidden'],
  },
});
