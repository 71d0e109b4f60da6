import { type ActionName, ACTIONS } from '../../../contracts/catalogue';
import type { ActionContract } from '../../../contracts/contract';
import { ANSWERS, LIST_FILES } from './answers';
import { type JsonRoute, lineOf } from './route';

const WORDS = /:(\w+)\(([^)]+)\)/;

/** Every route of an action: JSON in, JSON out. All of it but the exceptions of `answers.ts` stands in the contract. */
export const jsonRoutes: readonly JsonRoute[] = Object.entries(ACTIONS).flatMap(([action, contract]) =>
  routesOf(action as ActionName, contract),
);

/** Of `:provider(a|b)` a route for each word. */
function routesOf(action: ActionName, contract: ActionContract): JsonRoute[] {
  const { rest } = contract;
  if (rest === undefined) return [];
  const [pattern, name, words] = WORDS.exec(rest) ?? [];
  if (pattern === undefined || name === undefined || words === undefined) return [routeOf(action, contract, rest, {})];
  return words
    .split('|')
    .map((word) => routeOf(action, contract, rest.replace(pattern, word) as typeof rest, { [name]: word }));
}

function routeOf(
  action: ActionName,
  contract: ActionContract,
  rest: NonNullable<ActionContract['rest']>,
  fixed: JsonRoute['fixed'],
): JsonRoute {
  const { access } = contract;
  if (access === 'internal') throw new Error(`${action} is internal, and has a route`);
  return {
    kind: 'json',
    ...lineOf(rest),
    action,
    access: access === 'gateway' ? 'public' : access,
    summary: contract.summary,
    status: contract.status ?? 200,
    paged: contract.paged ?? false,
    idempotency: contract.idempotency ?? 'none',
    body: contract.body ?? null,
    given: contract.given ?? [],
    query: contract.query ?? [],
    fixed,
    // Each is called with the results and rows of this action alone.
    answer: (ANSWERS[action] ?? null) as JsonRoute['answer'],
    file: LIST_FILES[action] ?? null,
  };
}
