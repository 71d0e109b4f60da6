import { actions } from '../contract';
import { id } from '../rules';
import * as s from '../../lib/schema';

const origin = { type: 'string', max: 300, optional: true } as const;

export const formsActions = actions({
  form: {
    rest: 'GET /api/v1/workflows/:id/form',
    access: 'viewer',
    given: ['origin'],
    repeatable: true,
    integrators: true,
    summary: 'The address of the form that starts a workflow',
    description:
      'Of what is live: the address answers 404 until a version with a trigger of the type `form` is published. `origin`: where the caller has reached the API, for addresses where BASE_URL is not set.',
    params: { id, origin },
    result: s.object({
      url: s.text,
      live: s.boolean.about('The live version has a form.'),
    }),
    errors: ['not_found'],
  },
  create_form_link: {
    rest: 'POST /api/v1/workflows/:id/form-links',
    status: 201,
    access: 'member',
    given: ['origin'],
    integrators: true,
    summary: 'Makes a link that opens the form of a workflow once, with values that are filled in',
    description:
      'The link starts one run, and expires. `values`: what fields contain at first; anyone who has the link can read them. `expires_in`: a duration, at most 30 days and at most as long as the plan keeps runs (`7d`).',
    params: {
      id,
      origin,
      values: { type: 'object', optional: true },
      expires_in: { type: 'string', min: 1, max: 40, optional: true },
    },
    result: s.object({ url: s.text, expires_at: s.text }),
    errors: ['not_found', 'conflict'],
  },
});
