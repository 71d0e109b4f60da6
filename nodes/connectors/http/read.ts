import type { Json, JsonObject } from '../../../lib/json';
import { asOutput } from '../../outcome';
import type { HttpAction } from '../contract';
import { bodyAt } from './pages';

type Read = NonNullable<HttpAction['read']>;

/** What lies at a path of the answer as the output: an object, or `{result}`. */
export const inside =
  (path: string): Read =>
  (answer) =>
    asOutput(bodyAt(answer, path) ?? null);

/** The whole answer, a list, as the output `{<name>: [...]}`. */
export const listAs =
  (name: string): Read =>
  ({ body }): JsonObject => {
    const items: Json[] = Array.isArray(body) ? body : [];
    return { [name]: items, count: items.length };
  };
