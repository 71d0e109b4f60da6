import { actions } from '../contract';
import * as s from '../../lib/schema';

export const languageActions = actions({
  schema: {
    rest: 'GET /api/v1/schema',
    access: 'public',
    repeatable: true,
    integrators: true,
    summary: 'The JSON Schema of workflow documents, with the configuration of every node type',
    description:
      'Draft 2020-12, for editors: a document may name this address as its `$schema`. Custom nodes and imported actions may have any configuration; only `POST /workflows/validate` checks expressions and names.',
    params: {},
    result: s.jsonSchema,
  },
});
