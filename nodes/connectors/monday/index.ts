import { all, always, headerKey } from '../auth';
import type { Connector } from '../contract';
import { hidden } from '../define';
import { graphqlFault, missing } from '../http/graphql';
import { bodyAt } from '../http/pages';
import { secondsAt } from '../http/words';
import { actions } from './actions';

const ofProtocol = graphqlFault({
  passing: ['ComplexityException', 'COMPLEXITY_BUDGET_EXHAUSTED', 'FIELD_LIMIT_EXCEEDED', 'maxConcurrencyExceeded'],
  // Limits have many words, and one status, which stands in an answer of status 200.
  isPassing: (answer) => bodyAt(answer, 'errors[0].extensions.status_code') === 429,
  refused: [],
  wait: secondsAt('errors[0].extensions.retry_in_seconds'),
});

/** Boards and items are only asked for by their ids. */
const ofNothing = missing('boards', 'items');

export const monday: Connector = {
  name: 'monday',
  title: 'monday.com',
  description: 'Boards, items and updates.',
  category: 'project management',
  docs: 'https://developer.monday.com/api-reference/',
  auth: {
    required: true,
    fields: [hidden('api_token', 'API token', 'Your picture, Developers, API token.', 'eyJhbGciOiJIUzI1NiJ9.e30.abc')],
  },
  base: () => 'https://api.monday.com',
  sign: all(always({ 'api-version': '2026-07' }), headerKey('authorization', 'api_token')),
  fault: (answer) => ofProtocol(answer) ?? ofNothing(answer),
  probe: { action: 'get_me', input: {} },
  actions,
};
