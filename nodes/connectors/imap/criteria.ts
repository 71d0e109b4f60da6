import type { JsonObject } from '../../../lib/json';
import { Unusable } from '../unusable';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const TEXTS = ['from', 'to', 'subject', 'text'] as const;

/** What a search asks for: words that need no text of the author's, and words with their texts. */
export interface Criteria {
  readonly words: readonly string[];
  readonly texts: readonly (readonly [word: string, text: string])[];
}

/** The criteria of a search (RFC 3501 section 6.4.4). @throws Unusable */
export function criteriaOf(input: JsonObject): Criteria {
  const { seen, flagged, since, before } = input;
  return {
    words: [
      ...(typeof seen === 'boolean' ? [seen ? 'SEEN' : 'UNSEEN'] : []),
      ...(typeof flagged === 'boolean' ? [flagged ? 'FLAGGED' : 'UNFLAGGED'] : []),
      ...(since === undefined ? [] : [`SINCE ${dateOf('since', since)}`]),
      ...(before === undefined ? [] : [`BEFORE ${dateOf('before', before)}`]),
    ],
    texts: TEXTS.flatMap((key) => {
      const text = input[key];
      return typeof text === 'string' && text !== '' ? [[key.toUpperCase(), text] as const] : [];
    }),
  };
}

function dateOf(key: string, value: unknown): string {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})/.exec(String(value)) ?? [];
  const name = MONTHS[Number(month) - 1];
  if (name === undefined || year === undefined) throw new Unusable(`"${key}" must be a day, as 2030-01-31`);
  return `${Number(day)}-${name}-${year}`;
}
