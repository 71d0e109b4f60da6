import { actions } from '../contract';
import { variablesName } from './params';
import { UsedBy } from '../used-by';
import { VariableView } from './views';
import type { JsonObject } from '../../lib/json';
import { pageParams } from '../../lib/page';
import * as s from '../../lib/schema';

export const variablesActions = actions({
  variables: {
    rest: 'GET /api/v1/variables',
    access: 'viewer',
    paged: true,
    repeatable: true,
    integrators: true,
    summary: 'Named constants of expressions, by name',
    params: pageParams,
    result: s.listed(VariableView),
  },
  put_variable: {
    rest: 'PUT /api/v1/variables/:name',
    access: 'admin',
    integrators: true,
    summary: 'Creates (201) or replaces (200) a named constant',
    description: 'Creates or replaces; `created` tells which.',
    params: { name: variablesName, value: { type: 'any', nullable: true } },
    result: VariableView.extend({
      created: s.boolean,
    }),
    errors: ['conflict', 'payload_too_large'],
  },
  remove_variable: {
    rest: 'DELETE /api/v1/variables/:name',
    status: 204,
    access: 'admin',
    integrators: true,
    summary: 'Removes a named constant',
    params: { name: variablesName },
    result: s.nothing,
    errors: ['not_found', 'conflict'],
  },
  variable_used_by: {
    rest: 'GET /api/v1/variables/:name/used-by',
    access: 'viewer',
    repeatable: true,
    integrators: true,
    summary: 'Workflows that use a named constant, and where',
    params: { name: variablesName },
    result: UsedBy,
    errors: ['not_found'],
  },
  /** The values of all the tenant's variables, by name. */
  variable_values: {
    access: 'internal',
    repeatable: true,
    summary: 'The values of all named constants, by name',
    params: {},
    result: s.typed<JsonObject>(),
  },
});
