import type { JsonObject } from '../../../lib/json';
import type { ConnectorAnswer } from '../contract';
import { objectAt } from '../values';

type Answer = Pick<ConnectorAnswer, 'body'>;

/** What an answer says, but for the word that it is no fault. */
export function withoutOk({ body }: Answer): JsonObject {
  const { ok: _ok, ...members } = objectAt(body);
  return members;
}

/** The one thing that an answer is about. */
export const member =
  (name: string) =>
  ({ body }: Answer): JsonObject =>
    objectAt(body, name);
