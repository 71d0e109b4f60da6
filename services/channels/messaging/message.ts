import type { JsonObject } from '../../../lib/json';

/** `button`: the sender chose an offered option, which `payload` identifies. */
export type MessageType =
  | 'text'
  | 'image'
  | 'audio'
  | 'video'
  | 'document'
  | 'sticker'
  | 'location'
  | 'contacts'
  | 'button'
  | 'interactive'
  | 'reaction'
  | 'unsupported';

/** A file of a message. Some providers send a URL, others an id with which it can be fetched. */
export interface Media {
  readonly id: string | null;
  readonly url: string | null;
  readonly mime_type: string | null;
  readonly filename: string | null;
}

/** A message of any provider: `trigger.message` of its run. */
export interface InboundMessage {
  /** The provider's id; the same in repeated deliveries. */
  readonly id: string;
  readonly from: string;
  readonly to: string | null;
  /** The sender of replies: the id of a phone number or page, or the number. */
  readonly account: string | null;
  readonly type: MessageType;
  /** The text, caption of a file, title of a button, or emoji of a reaction. */
  readonly text: string | null;
  readonly media: readonly Media[];
  /** RFC 3339. */
  readonly timestamp: string;
  /** The message that this one replies or reacts to. */
  readonly reply_to: string | null;
  readonly payload: string | null;
  readonly location: {
    readonly latitude: number;
    readonly longitude: number;
    readonly name: string | null;
    readonly address: string | null;
  } | null;
}

/** The sender: `trigger.contact`. */
interface Contact {
  readonly id: string;
  readonly name: string | null;
}

/** One item of a provider's request. `body`: the request with only this message. */
export type Incoming =
  | { readonly kind: 'message'; readonly message: InboundMessage; readonly contact: Contact; readonly body: JsonObject }
  /** Not a user's message: a status, a receipt, or an echo of a message that this service sent. */
  | { readonly kind: 'ignored'; readonly what: string };

/** Defaults of rare fields. */
export const PLAIN = { media: [], reply_to: null, payload: null, location: null } as const;

export const ignored = (what: string): Incoming => ({ kind: 'ignored', what });
