import type { PlainHttp } from '../fetch-over';
import type { Json, JsonObject } from '../json';

/** The words that users know the providers by. `openai-compatible`: any server that speaks that protocol. */
export const LLM_PROVIDERS = ['openai', 'anthropic', 'google', 'openai-compatible'] as const;
export type LlmProvider = (typeof LLM_PROVIDERS)[number];

/** A model, where it is, and the key for it; without a key the requests carry none. */
export interface LlmAccess {
  readonly provider: LlmProvider;
  readonly model: string;
  readonly apiKey: string | null;
  /** Without a slash at its end. */
  readonly baseUrl: string;
}

/** The way out for requests to providers. */
export type LlmHttp = PlainHttp;

/** What a person, or a program for them, says to a model. Exactly one of `url` and `base64` is there. */
export type LlmPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'image'; readonly url?: string; readonly base64?: string; readonly mediaType?: string };

/** A model's wish to have a tool called; `input` is the text itself where that was no JSON. */
export interface LlmToolCall {
  readonly kind: 'tool_call';
  readonly id: string;
  readonly name: string;
  readonly input: Json;
  /** What the provider wants back with the next request, unread. */
  readonly metadata?: JsonObject;
}

/** A piece of what a model said. Plain JSON: answers are kept, and sent again with the next turn. */
export type LlmAnswerPart =
  | { readonly kind: 'text'; readonly text: string; readonly metadata?: JsonObject }
  | { readonly kind: 'reasoning'; readonly text: string; readonly metadata?: JsonObject }
  | LlmToolCall;

/** What became of a tool call, for the model to read. */
export interface LlmToolResult {
  readonly id: string;
  readonly name: string;
  readonly output: Json;
  readonly failed: boolean;
}

/** One turn of a conversation. */
export type LlmMessage =
  | { readonly role: 'system'; readonly text: string }
  | { readonly role: 'user'; readonly parts: readonly LlmPart[] }
  | { readonly role: 'assistant'; readonly parts: readonly LlmAnswerPart[] }
  | { readonly role: 'tool'; readonly results: readonly LlmToolResult[] };

/** Something that a model may ask for; `parameters` is a JSON Schema of an object. */
export interface LlmTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: { readonly [key: string]: unknown };
}

/** One question to a model. */
export interface LlmRequest {
  readonly messages: readonly LlmMessage[];
  readonly tools?: readonly LlmTool[];
  readonly toolChoice?: 'auto' | 'required' | 'none';
  readonly temperature?: number;
  readonly maxTokens?: number;
  readonly stop?: readonly string[];
  /** The answer is to be JSON, of this schema or of any. Providers do what they can; whoever reads the answer checks it. */
  readonly schema?: { readonly [key: string]: unknown } | 'any';
  readonly signal?: AbortSignal;
}

/** Tokens of one request. `cachedTokens` is the part of the input that the provider had in a cache. */
export interface LlmTokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
}

/** Why a model stopped. */
export type LlmFinish = 'stop' | 'length' | 'content_filter' | 'tool_calls' | 'error' | 'other';

/** What a model said. */
export interface LlmAnswer {
  readonly parts: readonly LlmAnswerPart[];
  readonly finish: LlmFinish;
  readonly tokens: LlmTokens;
}

/** One vector for each text, in their order. */
export interface LlmEmbeddings {
  readonly embeddings: readonly number[][];
  readonly inputTokens: number;
}

/** The text of an answer. */
export const textOf = (parts: readonly LlmAnswerPart[]): string =>
  parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('');

/** The tools that an answer asks for, in its order. */
export const toolCallsOf = (parts: readonly LlmAnswerPart[]): LlmToolCall[] =>
  parts.filter((part) => part.kind === 'tool_call');
