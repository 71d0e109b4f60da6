import type { JsonObject } from '../../../lib/json';

/** What a message is. `button`: the sender chose an offered option; `payload` names it. */
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

/** A file of a message: some providers give an address, others an id by which it is asked for. */
export interface Media {
  readonly id: string | null;
  readonly url: string | null;
  readonly mime_type: string | null;
  readonly filename: string | null;
}

/** A message, whichever provider it came by: `trigger.message` of the run that it starts. */
export interface InboundMessage {
  /** The provider's id: the same when the message is sent again. */
  readonly id: string;
  readonly from: string;
  readonly to: string | null;
  /** What replies are sent from: id of a phone number or page, or the number. */
  readonly account: string | null;
  readonly type: MessageType;
  /** What was written, the caption of a file, the title of a button, the sign of a reaction. */
  readonly text: string | null;
  readonly media: readonly Media[];
  /** RFC 3339. */
  readonly timestamp: string;
  /** The message that this one answers or reacts to. */
  readonly reply_to: string | null;
  readonly payload: string | null;
  readonly location: {
    readonly latitude: number;
    readonly longitude: number;
    readonly name: string | null;
    readonly address: string | null;
  } | null;
}

/** Who has written: `trigger.contact`. */
interface Contact {
  readonly id: string;
  readonly name: string | null;
}

/** One thing in a request of a provider. `body`: the request, with nothing in it but this message. */
export type Incoming =
  | { readonly kind: 'message'; readonly message: InboundMessage; readonly contact: Contact; readonly body: JsonObject }
  /** Not a message of a person: a status, a receipt, an echo of a message that this service sent. */
  | { readonly kind: 'ignored'; readonly what: string };

/** The fields that hardly any message has. */
export const PLAIN = { media: [], reply_to: null, payload: null, location: null } as const;

export const ignored = (what: string): Incoming => ({ kind: 'ignored', what });
