import { actions } from '../contract';
import { id } from '../rules';
import { optional, version } from './params';
import { RegistryRow, RegistryView, SkillView } from './views';
import { pageParams } from '../../lib/page';
import * as s from '../../lib/schema';

export const registryActions = actions({
  publish: {
    rest: 'POST /api/v1/skills/:id/publish',
    access: 'admin',
    idempotency: 'replay',
    integrators: true,
    summary: 'Publishes a skill as a version that never changes',
    params: {
      id,
      version,
      bump: { type: 'enum', values: ['major', 'minor', 'patch'], ...optional },
      notes: { type: 'string', trim: true, max: 2_000, ...optional },
    },
    result: SkillView,
    errors: ['not_found', 'conflict', 'forbidden'],
  },
  unpublish: {
    rest: 'POST /api/v1/skills/:id/unpublish',
    access: 'admin',
    integrators: true,
    summary: 'Takes a version, or all, out of the registry; copies stay',
    description: 'Takes a version out of the registry, or all of them. What is installed stays.',
    params: { id, version },
    result: SkillView,
    errors: ['not_found', 'conflict', 'forbidden'],
  },
  published: {
    rest: 'GET /api/v1/skills/published',
    access: 'viewer',
    paged: true,
    repeatable: true,
    integrators: true,
    summary: 'Skills in the registry, published last first',
    params: pageParams,
    result: s.listed(RegistryRow),
  },
  published_skill: {
    rest: 'GET /api/v1/skills/published/:id',
    access: 'viewer',
    repeatable: true,
    integrators: true,
    summary: 'A skill in the registry, with its instructions; `version`: as it was then',
    params: { id, version },
    result: RegistryView,
    errors: ['not_found'],
  },
  search: {
    rest: 'GET /api/v1/skills/registry/search',
    access: 'viewer',
    paged: true,
    repeatable: true,
    integrators: true,
    summary: 'Skills in the registry by the words in `q`, the best answers first',
    params: { q: { type: 'string', trim: true, max: 500, ...optional }, ...pageParams },
    result: s.listed(RegistryRow),
  },
  install: {
    rest: 'POST /api/v1/skills/registry/install',
    access: 'member',
    idempotency: 'replay',
    integrators: true,
    summary: 'Copies a skill of the registry into the tenant, pinned to a version; 201, or 200 over one that is there',
    description: '`overwrite`: also where the installed copy was changed here. `created`: there was none before.',
    params: {
      id,
      version,
      name: { type: 'string', max: 64, ...optional },
      overwrite: { type: 'boolean', ...optional },
    },
    result: SkillView.extend({
      created: s.boolean,
    }),
    errors: ['not_found', 'conflict', 'quota_exceeded'],
  },
});
