import { isObject } from './document';

/** An entry of the command palette. */
export interface PaletteEntry {
  readonly label: string;
  /** Further words that find it. */
  readonly keywords?: string;
}

/** How well an entry fits the words of a query; 0 when a word is missing. Beginnings of words count more than their middles. */
function matchScore({ label, keywords = '' }: PaletteEntry, query: string): number {
  const text = `${label} ${keywords}`.toLowerCase();
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  let score = 1;
  for (const word of words) {
    const at = text.indexOf(word);
    if (at < 0) return 0;
    score += text.startsWith(word) ? 3 : /\W/.test(text.charAt(at - 1)) ? 2 : 1;
  }
  return score;
}

/** The entries that fit, the best first; equals keep their order. */
export function bestMatches<E extends PaletteEntry>(entries: readonly E[], query: string, max: number): E[] {
  return entries
    .map((entry) => ({ entry, score: matchScore(entry, query) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, max)
    .map(({ entry }) => entry);
}

const RUN_ID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;

/** The id of a run in a text, such as one that was copied with its surroundings; null without one. */
export const runIdIn = (text: string): string | null => RUN_ID.exec(text)?.[0].toLowerCase() ?? null;

/** A guide or one of its headings. */
interface GuideEntry extends PaletteEntry {
  readonly address: string;
}

/** The entries of the list of guides, as `GET /docs/guides` answers it. */
export function guideEntries(answer: unknown): readonly GuideEntry[] {
  const guides = isObject(answer) && Array.isArray(answer.data) ? answer.data : [];
  return guides.filter(isObject).flatMap(({ name, title, headings }): GuideEntry[] => {
    if (typeof name !== 'string' || typeof title !== 'string') return [];
    const address = `/docs/guides/${name}`;
    const parts = (Array.isArray(headings) ? headings : [])
      .filter(isObject)
      .flatMap(({ id, text }): GuideEntry[] =>
        typeof id === 'string' && typeof text === 'string'
          ? [{ label: `${title}: ${text}`, address: `${address}#${id}` }]
          : [],
      );
    return [{ label: title, address }, ...parts];
  });
}
