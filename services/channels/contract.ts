import type { Json, JsonObject } from '../../lib/json';
import type { StartResult } from '../executor/contract';

/** An HTTP request as the gateway hands it on. `body`: parsed JSON or form, else text; binary bodies as base64 text. */
export interface InboundRequest {
  workflow_id: string;
  method: string;
  /** Lower-case names. */
  headers: Record<string, string>;
  query: JsonObject;
  body: Json;
  request_id?: string;
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

export interface ChannelsActions {
  /** Public by its signature: an event of a voice room; on record when it answers. */
  'channels.voice_event': (p: ProviderDelivery) => VoiceOutcome;
  /** Sends a message by a bot, to see whether its token and the chat are right. Both may be `{{ secret.NAME }}`. */
  'channels.test_bot': (p: { bot_token: string; chat_id: string | number; message?: string }) => {
    ok: true;
    message_id: number | null;
  };
  /** Public by the id's secrecy: POST and GET of a webhook; durable when it answers. `wait`: until the run ends. */
  'channels.webhook': (p: InboundRequest & { wait: boolean }) => StartResult;
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
