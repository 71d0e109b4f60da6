import type { JsonObject } from '../../../lib/json';
import type { ConnectorResponse } from '../contract';
import { objectAt } from '../values';

type Response = Pick<ConnectorResponse, 'body'>;

/** The response without `ok`. */
export function withoutOk({ body }: Response): JsonObject {
  const { ok: _ok, ...members } = objectAt(body);
  return members;
}

/** The one thing that a response is about. */
export const member =
  (name: string) =>
  ({ body }: Response): JsonObject =>
    objectAt(body, name);
