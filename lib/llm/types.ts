import type { HttpTransport } from '../fetch-adapter';
import type { Json, JsonObject } from '../json';

/** Provider names in the API. `openai-compatible`: any server with that protocol. */
export const LLM_PROVIDERS = ['openai', 'anthropic', 'google', 'openai-compatible'] as const;
export type LlmProvider = (typeof LLM_PROVIDERS)[number];

/** A model, its address and key; without a key, requests carry none. */
export interface LlmAccess {
  readonly provider: LlmProvider;
  readonly model: string;
  readonly apiKey: string | null;
  /** Without a trailing slash. */
  readonly baseUrl: string;
}

/** HTTP client for requests to providers. */
export type LlmHttp = HttpTransport;

/** User content for a model. Exactly one of `url` and `base64` is set. */
export type LlmPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'image'; readonly url?: string; readonly base64?: string; readonly mediaType?: string };

/** A model's request to call a tool; `input` is the raw text if it was not JSON. */
export interface LlmToolCall {
  readonly kind: 'tool_call';
  readonly id: string;
  readonly name: string;
  readonly input: Json;
  /** Opaque data to send back to the provider. */
  readonly metadata?: JsonObject;
}

/** A part of a model's response. Plain JSON: responses are stored, and sent again with the next turn. */
export type LlmAnswerPart =
  | { readonly kind: 'text'; readonly text: string; readonly metadata?: JsonObject }
  | { readonly kind: 'reasoning'; readonly text: string; readonly metadata?: JsonObject }
  | LlmToolCall;

/** The result of a tool call, for the model. */
export interface LlmToolResult {
  readonly id: string;
  readonly name: string;
  readonly output: Json;
  readonly failed: boolean;
}

/** A turn of a conversation. */
export type LlmMessage =
  | { readonly role: 'system'; readonly text: string }
  | { readonly role: 'user'; readonly parts: readonly LlmPart[] }
  | { readonly role: 'assistant'; readonly parts: readonly LlmAnswerPart[] }
  | { readonly role: 'tool'; readonly results: readonly LlmToolResult[] };

/** A tool that a model may call; `parameters` is a JSON Schema of an object. */
export interface LlmTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: { readonly [key: string]: unknown };
}

/** A request to a model. */
export interface LlmRequest {
  readonly messages: readonly LlmMessage[];
  readonly tools?: readonly LlmTool[];
  readonly toolChoice?: 'auto' | 'required' | 'none';
  readonly temperature?: number;
  readonly maxTokens?: number;
  readonly stop?: readonly string[];
  /** Requests JSON, of this schema or any. Providers do not guarantee it; the caller validates the response. */
  readonly schema?: { readonly [key: string]: unknown } | 'any';
  readonly signal?: AbortSignal;
}

/** Token usage of a request. `cachedTokens` is the part of the input that the provider had cached. */
export interface LlmTokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
}

/** Why a model stopped. */
export type LlmFinish = 'stop' | 'length' | 'content_filter' | 'tool_calls' | 'error' | 'other';

/** A model's response. */
export interface LlmAnswer {
  readonly parts: readonly LlmAnswerPart[];
  readonly finish: LlmFinish;
  readonly tokens: LlmTokens;
}

/** A vector per text, in order. */
export interface LlmEmbeddings {
  readonly embeddings: readonly number[][];
  readonly inputTokens: number;
}

/** The text of a response. */
export const textOf = (parts: readonly LlmAnswerPart[]): string =>
  parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('');

/** The tool calls of a response, in order. */
export const toolCallsOf = (parts: readonly LlmAnswerPart[]): LlmToolCall[] =>
  parts.filter((part) => part.kind === 'tool_call');
