import { type JsonObject, withValue } from './path';
import { renameReferences } from './references';
import { placesOf } from './walk';

const MAX_ID_CHARS = 64;
export const ID_PATTERN = /^[A-Za-z][\w-]{0,63}$/;

/** An id for a new step, made of a word such as its type: `http_request`, then `http_request_2`. */
export function newId(word: string, taken: ReadonlySet<string>): string {
  const cleaned = word
    .replaceAll(/[^\w]+/g, '_')
    .replace(/^[^A-Za-z]+/, '')
    .replace(/_+$/, '');
  const base = (cleaned === '' ? 'step' : cleaned).slice(0, MAX_ID_CHARS - 5);
  if (!taken.has(base)) return base;
  const stem = base.replace(/_\d{1,3}$/, '');
  let number = 2;
  while (taken.has(`${stem}_${number}`)) number += 1;
  return `${stem}_${number}`;
}

export const idsOf = (document: JsonObject): Set<string> => new Set(placesOf(document).map(({ id }) => id));

/** Steps with ids that are free in a document; references between them follow. */
export function withFreshIds(steps: readonly JsonObject[], taken: ReadonlySet<string>): JsonObject[] {
  const used = new Set(taken);
  const places = placesOf({ steps });
  const own = new Set(places.map(({ id }) => id));
  let result: readonly JsonObject[] = steps;
  const seen = new Set<string>();
  for (const { id, type, path } of places) {
    const fresh = id !== '' && !used.has(id) ? id : newId(id === '' ? type : id, new Set([...used, ...own]));
    if (fresh !== id) {
      // References to a repeated id mean its first step.
      if (id !== '' && !seen.has(id)) result = renameReferences(result, id, fresh);
      result = withValue(result, [...path.slice(1), 'id'], fresh) as readonly JsonObject[];
    }
    seen.add(id);
    used.add(fresh);
  }
  return [...result];
}
