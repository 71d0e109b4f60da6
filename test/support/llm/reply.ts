import type { IncomingHttpHeaders } from 'node:http';
import type { Json, JsonObject } from '../../../lib/json';

/** A scripted reply of a model, or a fault of its provider. */
export type LlmReply =
  | { readonly kind: 'text'; readonly text: string; readonly tokens?: Tokens }
  | {
      readonly kind: 'tools';
      readonly calls: readonly ScriptedToolCall[];
      readonly text?: string;
      readonly tokens?: Tokens;
    }
  /** A text as it comes, at the test's own pace; `breaks`: then the connection does. */
  | {
      readonly kind: 'pieces';
      readonly pieces: Iterable<string> | AsyncIterable<string>;
      readonly tokens?: Tokens;
      readonly breaks?: boolean;
    }
  /** The answer is cut off for length. */
  | { readonly kind: 'cut'; readonly text: string; readonly tokens?: Tokens }
  /** A refusal in the provider's own form. */
  | { readonly kind: 'status'; readonly status: number; readonly message?: string; readonly headers?: Headers }
  /** Status 200 with this body. */
  | { readonly kind: 'raw'; readonly body: string }
  /** The connection breaks in the middle of the body. */
  | { readonly kind: 'broken' }
  /** No answer, ever. */
  | { readonly kind: 'hang' };

type Headers = Readonly<Record<string, string>>;

/** A model's call of a tool; `input` may be a text that is no JSON. */
export interface ScriptedToolCall {
  readonly name: string;
  readonly input: Json;
  readonly id?: string;
}

export interface Tokens {
  readonly input: number;
  readonly output: number;
  readonly cached?: number;
}

/** A request for an answer, as the server got it. */
export interface LlmSeen {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: JsonObject;
  /** Answers of the model that the request has in it. */
  readonly answersBefore: number;
  readonly model: string;
}

/** What the provider sends. */
export interface Sent {
  readonly status: number;
  readonly body: Json;
}

/** The protocol of a provider. */
export interface Protocol {
  /** Parses a request for an answer of a model: the model's name, and the fault of the request; null for other requests. */
  read(path: string, body: JsonObject): { model: string; answersBefore: number; fault: string | null } | null;
  /** The API key of the request. */
  key(headers: IncomingHttpHeaders): string | undefined;
  say(seen: LlmSeen, reply: FullReply): Json;
  /** The same in pieces; null for a request that does not ask for them. */
  stream(seen: LlmSeen, reply: FullReply): Streamed | null;
  refuse(status: number, message: string): Json;
  /** Other paths: lists of models, vectors. */
  other(method: string, path: string, body: JsonObject): Sent | null;
}

/** A reply that is sent in full. */
export type FullReply = Extract<LlmReply, { kind: 'text' | 'tools' | 'cut' }>;

/** A streamed answer: what comes before and after its text, and how a piece of that is wrapped. */
export interface Streamed {
  readonly before: readonly JsonObject[];
  piece(text: string): JsonObject;
  readonly after: readonly JsonObject[];
  /** The text with which the provider ends a stream. */
  readonly end?: string;
}

export const DEFAULT_TOKENS: Tokens = { input: 100, output: 10 };

/** A vector that depends on the text only. */
export const vectorOf = (text: string): number[] => [text.length, [...text].length % 7, text.charCodeAt(0) || 0];

/** Members of a list that are objects. */
export const objectsIn = (value: Json | undefined): JsonObject[] =>
  Array.isArray(value)
    ? value.filter((item): item is JsonObject => typeof item === 'object' && item !== null && !Array.isArray(item))
    : [];
