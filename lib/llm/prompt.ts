import type {
  JSONValue,
  LanguageModelV3Content,
  LanguageModelV3FilePart,
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  LanguageModelV3TextPart,
  SharedV3ProviderMetadata,
} from '@ai-sdk/provider';
import type { Json, JsonObject } from '../json';
import type { LlmAnswerPart, LlmMessage, LlmPart, LlmToolResult } from './types';

/** Converts a conversation to the provider libraries' form. */
export const toPrompt = (messages: readonly LlmMessage[]): LanguageModelV3Prompt => messages.map(toMessage);

function toMessage(message: LlmMessage): LanguageModelV3Message {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.text };
    case 'user':
      return { role: 'user', content: message.parts.map(toUserPart) };
    case 'assistant':
      return { role: 'assistant', content: message.parts.map(toAssistantPart) };
    case 'tool':
      return { role: 'tool', content: message.results.map(toToolResult) };
  }
}

function toUserPart(part: LlmPart): LanguageModelV3TextPart | LanguageModelV3FilePart {
  if (part.kind === 'text') return { type: 'text', text: part.text };
  const data = part.url === undefined ? (part.base64 ?? '') : new URL(part.url);
  return { type: 'file', data, mediaType: part.mediaType ?? 'image/*' };
}

function toAssistantPart(part: LlmAnswerPart) {
  const options =
    part.metadata === undefined ? {} : { providerOptions: part.metadata as unknown as SharedV3ProviderMetadata };
  switch (part.kind) {
    case 'text':
      return { type: 'text' as const, text: part.text, ...options };
    case 'reasoning':
      return { type: 'reasoning' as const, text: part.text, ...options };
    case 'tool_call':
      return {
        type: 'tool-call' as const,
        toolCallId: part.id,
        toolName: part.name,
        // Providers accept only an object, also for a call whose input was not one.
        input: typeof part.input === 'object' && part.input !== null ? part.input : { input: part.input },
        ...options,
      };
  }
}

const toToolResult = ({ id, name, output, failed }: LlmToolResult) => ({
  type: 'tool-result' as const,
  toolCallId: id,
  toolName: name,
  output:
    typeof output === 'string'
      ? { type: failed ? ('error-text' as const) : ('text' as const), value: output }
      : { type: failed ? ('error-json' as const) : ('json' as const), value: output as JSONValue },
});

/** Converts a model's response. Sources, files and provider-executed tools are dropped. */
export function toAnswerParts(content: readonly LanguageModelV3Content[]): LlmAnswerPart[] {
  return content.flatMap((part): LlmAnswerPart[] => {
    const metadata = 'providerMetadata' in part && part.providerMetadata ? metadataOf(part.providerMetadata) : {};
    switch (part.type) {
      case 'text':
        return part.text === '' ? [] : [{ kind: 'text', text: part.text, ...metadata }];
      case 'reasoning':
        return [{ kind: 'reasoning', text: part.text, ...metadata }];
      case 'tool-call':
        return part.providerExecuted === true
          ? []
          : [{ kind: 'tool_call', id: part.toolCallId, name: part.toolName, input: parsed(part.input), ...metadata }];
      default:
        return [];
    }
  });
}

/** As plain JSON, since it is recorded: drops undefined members. */
const metadataOf = (metadata: SharedV3ProviderMetadata): { metadata: JsonObject } => ({
  metadata: JSON.parse(JSON.stringify(metadata)) as JsonObject,
});

function parsed(text: string): Json {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text) as Json;
  } catch {
    // Invalid input is kept as text; its validation reports it to the model.
    return text;
  }
}
