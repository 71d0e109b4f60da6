import type { Json, JsonObject } from '../../lib/json';
import type { MessagingChannel } from '../../lib/messaging-config';
import type { ErrorCode } from '../../lib/errors';
import type { ChatActions } from './chat/contract';
import type { StartResult } from '../executor/contract';

export type { ChatConfig, ChatDoor } from './chat/contract';

/** An HTTP request as the gateway hands it on. `body`: parsed JSON or form, else text; binary bodies as base64 text. */
export interface InboundRequest {
  workflow_id: string;
  method: string;
  /** Lower-case names. */
  headers: Record<string, string>;
  query: JsonObject;
  body: Json;
  /** The bytes of the body in base64; only where the workflow wants them. */
  raw?: string;
  request_id?: string;
}

/** Nothing is done yet: the workflow wants the bytes of the body as well. */
export interface RawWanted {
  raw_wanted: true;
}

/** A request of a messaging provider as it came. */
export interface MessagingDelivery extends ProviderDelivery {
  channel: MessagingChannel;
  workflow_id: string;
  /** The address as the provider knows it: some signatures cover it. */
  url: string;
}

/** The two ways in which providers write a request. */
export type MessagingFormat = 'json' | 'form';

/** What became of one message. */
export interface MessageOutcome {
  /** The provider's id of it. */
  id: string;
  outcome: 'started' | 'replayed' | 'refused';
  /** Why nothing was started. */
  reason: string | null;
  execution_id: string | null;
}

/** What became of a request of a messaging provider. */
export interface MessagingOutcome {
  format: MessagingFormat;
  data: MessageOutcome[];
  /** What else was in it, such as `status`. */
  ignored: string[];
}

/** By which door a delivery came. */
export const DELIVERY_SOURCES = ['http', 'run', 'messaging-a', 'messaging-b'] as const;
export type DeliverySource = (typeof DELIVERY_SOURCES)[number];

export const DELIVERY_OUTCOMES = ['started', 'replayed', 'refused', 'ignored'] as const;
export type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number];

/** What was found out about who has sent a delivery. `none`: nothing was asked of him. */
export type DeliverySignature = 'verified' | 'failed' | 'none' | 'not_configured';

/** A delivery as the gateway has seen it, told when its answer is over. */
export interface SeenDelivery {
  workflow_id: string;
  source: DeliverySource;
  /** RFC 3339. */
  received_at: string;
  method: string;
  /** The status of the answer; null when nobody was there to take it. */
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
  /** Nobody has shown a right to send it: it was refused, or is a challenge, which is answered to everybody. */
  minor: boolean;
}

/** A row of a workflow's inbox. Times are RFC 3339. */
export interface DeliveryView {
  id: string;
  received_at: string;
  source: DeliverySource;
  method: string;
  status: number | null;
  signature: DeliverySignature;
  delivery_id: string | null;
  outcome: DeliveryOutcome;
  reason: string | null;
  /** The run, or the first of several. */
  execution_id: string | null;
  size: number;
  content_type: string | null;
}

/** All that is kept of a delivery. */
export interface DeliveryDetail extends DeliveryView {
  execution_ids: string[];
  /** Without credentials. */
  headers: Record<string, string>;
  query: JsonObject;
  /** In base64; `truncated`: only its beginning is kept. */
  body: string;
  body_sha256: string | null;
  truncated: boolean;
}

/** What a delivery has started once more. */
export interface Redelivered {
  execution_id: string;
  execution_ids: string[];
  replayed?: true;
}

/** A provider's event as it came: the bytes that its signature covers, and the headers that hold it. */
export interface ProviderDelivery {
  /** Lower-case names. */
  headers: Record<string, string>;
  /** The body in base64. */
  raw: string;
}

/** What became of an event of a voice room. */
export interface VoiceOutcome {
  event: string;
  outcome: 'started' | 'ignored' | 'refused';
  /** Why nothing was started. */
  reason: string | null;
  execution_id: string | null;
}

export interface ChannelsActions extends ChatActions {
  /** Public by its signature: an event of a voice room; on record when it answers. */
  'channels.voice_event': (p: ProviderDelivery) => VoiceOutcome;
  /** Sends a message by a bot, to see whether its token and the chat are right. Both may be `{{ secret.NAME }}`. */
  'channels.test_bot': (p: { bot_token: string; chat_id: string | number; message?: string }) => {
    ok: true;
    message_id: number | null;
  };
  /** Public by the id's secrecy: POST and GET of a webhook; durable when it answers. `wait`: until the run ends. */
  'channels.webhook': (p: InboundRequest & { wait: boolean }) => StartResult | RawWanted;
  /** Public by its verify token: a messaging provider asks whose address this is. */
  'channels.verify_messaging': (p: {
    channel: MessagingChannel;
    workflow_id: string;
    mode: string;
    token: string;
    challenge: string;
  }) => { challenge: string };
  /** Public by its signature: messages of people; their runs are durable when it answers. */
  'channels.message': (p: MessagingDelivery) => MessagingOutcome;
  /** What came in for a workflow, newest first. */
  'channels.deliveries': (p: {
    id: string;
    limit?: number;
    cursor?: string;
    outcome?: DeliveryOutcome;
    source?: DeliverySource;
  }) => { data: DeliveryView[]; next_cursor: string | null };
  'channels.delivery': (p: { id: string; delivery_id: string }) => DeliveryDetail;
  /** Starts the workflow again with what came in. */
  'channels.redeliver': (p: { id: string; delivery_id: string; idempotency_key?: string }) => Redelivered;
  /** Internal: keeps what gateways have seen. */
  'channels.keep_deliveries': (p: { deliveries: SeenDelivery[] }) => { kept: number };
  /** Internal: forgets what came in for a workflow that is gone. */
  'channels.purge': (p: { workflow_id: string }) => void;
  /** Public, with a workflow key. */
  'channels.run': (p: InboundRequest & { key: string; wait: boolean }) => StartResult;
  /**
   * Public, called by the gateway around every POST that carries an Idempotency-Key. `scope` is the credential and the
   * route. Answers what to do; `in_progress` and a differing body are refused with an error.
   */
  'channels.begin_once': (p: {
    scope: string;
    key: string;
    body_hash: string;
  }) => { kind: 'new' } | { kind: 'replay'; status: number; body: Json };
  'channels.finish_once': (p: { scope: string; key: string; status: number; body: Json }) => void;
  'channels.abandon_once': (p: { scope: string; key: string }) => void;
}
