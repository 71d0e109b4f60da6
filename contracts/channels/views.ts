import type { ErrorCode } from '../../lib/errors';
import type { JsonObject } from '../../lib/json';
import type { MessagingChannel } from '../../lib/messaging-config';
import * as s from '../../lib/schema';

/** The endpoint that received a delivery. */
export const DELIVERY_SOURCES = ['http', 'run', 'messaging-a', 'messaging-b'] as const;

export const DELIVERY_OUTCOMES = ['started', 'replayed', 'refused', 'ignored'] as const;

/** A request of a messaging provider as it came. */
export interface MessagingDelivery extends ProviderDelivery {
  channel: MessagingChannel;
  workflow_id: string;
  /** The address as the provider knows it: some signatures cover it. */
  url: string;
}

/** The two ways in which providers write a request. */
export type MessagingFormat = 'json' | 'form';

/** The outcome of a request of a messaging provider. */
export interface MessagingOutcome {
  format: MessagingFormat;
  data: MessageOutcome[];
  /** What else was in it, such as `status`. */
  ignored: string[];
}

export type DeliverySource = (typeof DELIVERY_SOURCES)[number];

export type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number];

/** A delivery as the gateway has recorded it, after its response has ended. */
export interface SeenDelivery {
  workflow_id: string;
  source: DeliverySource;
  /** RFC 3339. */
  received_at: string;
  method: string;
  /** The status of the answer; null when the client had disconnected. */
  status: number | null;
  /** Lower-case names, credentials among them. */
  headers: Record<string, string>;
  query: JsonObject;
  /** The first bytes of the body in base64. */
  raw: string;
  /** Of the whole body: bytes, and SHA-256 in hex; null without a body. */
  size: number;
  sha256: string | null;
  outcome: DeliveryOutcome;
  /** The error that it was answered with. */
  code: ErrorCode | null;
  reason: string | null;
  execution_ids: string[];
  /** The provider's id where it is in no header. */
  delivery_id: string | null;
  /** Unauthenticated: it was refused, or is a challenge, which any caller may send. */
  minor: boolean;
}

/** A provider's event as it came: the bytes that its signature covers, and the headers that hold it. */
export interface ProviderDelivery {
  /** Lower-case names. */
  headers: Record<string, string>;
  /** The body in base64. */
  raw: string;
}

export const MessageOutcome = s.named(
  'MessageOutcome',
  s.object({
    id: s.text.about("The provider's id of it."),
    outcome: s.words('refused', 'replayed', 'started'),
    reason: s.text.nullable().about('Why nothing was started.'),
    execution_id: s.text.nullable(),
  }),
  'The outcome of one message.',
);
export type MessageOutcome = s.Infer<typeof MessageOutcome>;

export const DeliverySignature = s.named(
  'DeliverySignature',
  s.words('failed', 'none', 'not_configured', 'verified'),
  'The result of the signature check. `none`: the endpoint requires no signature.',
);
export type DeliverySignature = s.Infer<typeof DeliverySignature>;

export const DeliveryView = s.named(
  'DeliveryView',
  s.object({
    id: s.text,
    received_at: s.text,
    source: s.words(...DELIVERY_SOURCES),
    method: s.text,
    status: s.number.nullable(),
    signature: DeliverySignature,
    delivery_id: s.text.nullable(),
    outcome: s.words(...DELIVERY_OUTCOMES),
    reason: s.text.nullable(),
    execution_id: s.text.nullable().about('The run, or the first of several.'),
    size: s.number,
    content_type: s.text.nullable(),
  }),
  "A row of a workflow's inbox. Times are RFC 3339.",
);
export type DeliveryView = s.Infer<typeof DeliveryView>;

export const DeliveryRow = s.named(
  'DeliveryRow',
  DeliveryView.extend({
    workflow_id: s.text,
    workflow_name: s.text,
  }),
  'A delivery in the list of all workflows.',
);
export type DeliveryRow = s.Infer<typeof DeliveryRow>;

export const DeliveryDetail = s.named(
  'DeliveryDetail',
  DeliveryView.extend({
    execution_ids: s.array(s.text),
    headers: s.record(s.text).about('Without credentials.'),
    query: s.jsonObject,
    body: s.text.about('In base64; `truncated`: only its beginning is kept.'),
    body_sha256: s.text.nullable(),
    truncated: s.boolean,
  }),
  'All that is kept of a delivery.',
);
export type DeliveryDetail = s.Infer<typeof DeliveryDetail>;

export const Redelivered = s.named(
  'Redelivered',
  s.object({
    execution_id: s.text,
    execution_ids: s.array(s.text),
    replayed: s.constant(true).optional(),
  }),
  'What a delivery has started once more.',
);
export type Redelivered = s.Infer<typeof Redelivered>;

export const VoiceOutcome = s.named(
  'VoiceOutcome',
  s.object({
    event: s.text,
    outcome: s.words('ignored', 'refused', 'started'),
    reason: s.text.nullable().about('Why nothing was started.'),
    execution_id: s.text.nullable(),
  }),
  'The outcome of an event of a voice room.',
);
export type VoiceOutcome = s.Infer<typeof VoiceOutcome>;
