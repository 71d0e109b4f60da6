/** An entry of a feed. Texts may be HTML, as their author wrote them; times are RFC 3339. */
export interface FeedItem {
  /** What its author calls it, else its link, else null. */
  readonly id: string | null;
  readonly title: string;
  readonly link: string | null;
  readonly summary: string | null;
  readonly content: string | null;
  readonly author: string | null;
  readonly categories: readonly string[];
  readonly published_at: string | null;
  readonly updated_at: string | null;
  /** A file that belongs to it, such as a recording. */
  readonly enclosure: { readonly url: string; readonly type: string | null } | null;
}

export interface Feed {
  readonly title: string;
  readonly link: string | null;
  /** In the order of the feed, which mostly is newest first. */
  readonly items: readonly FeedItem[];
}

/** Thrown for what is no feed, or one too large to read. */
export class NotAFeed extends Error {}

/** Characters of a feed that are read. */
export const MAX_FEED = 5 * 1024 * 1024;
/** Items of a feed that are read; further ones are left. */
export const MOST_ITEMS = 1_000;

/** A time as feeds write it (RFC 822 or RFC 3339), as RFC 3339; null for none that can be read. */
export function timeOf(text: string | null): string | null {
  const at = text === null ? Number.NaN : Date.parse(text.trim());
  return Number.isNaN(at) ? null : new Date(at).toISOString();
}
