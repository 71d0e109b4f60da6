/** An entry of a feed. Texts may be HTML, as their author wrote them; times are RFC 3339. */
export interface FeedItem {
  /** The id that the feed gives it, else its link, else null. */
  readonly id: string | null;
  readonly title: string;
  readonly link: string | null;
  readonly summary: string | null;
  readonly content: string | null;
  readonly author: string | null;
  readonly categories: readonly string[];
  readonly published_at: string | null;
  readonly updated_at: string | null;
  /** An attached file, such as a recording. */
  readonly enclosure: { readonly url: string; readonly type: string | null } | null;
}

export interface Feed {
  readonly title: string;
  readonly link: string | null;
  /** In the order of the feed, which usually is newest first. */
  readonly items: readonly FeedItem[];
}

/** The body of a response that should be a feed. */
export interface FeedSource {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  /** URL of the feed. Relative links are resolved against the link of the feed, or against this. */
  readonly url: string;
}
