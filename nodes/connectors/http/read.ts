import type { Json, JsonObject } from '../../../lib/json';
import { asOutput } from '../../outcome';
import type { HttpAction } from '../contract';
import { bodyAt } from './pages';

type ReadRule = NonNullable<HttpAction['read']>;

/** The output is the object at a path of the response, or `{result}` for another value. */
export const outputAt =
  (path: string): ReadRule =>
  (response) =>
    asOutput(bodyAt(response, path) ?? null);

/** The output of a response that is a list: `{<name>: [...], count}`. */
export const outputList =
  (name: string): ReadRule =>
  ({ body }): JsonObject => {
    const items: Json[] = Array.isArray(body) ? body : [];
    return { [name]: items, count: items.length };
  };
