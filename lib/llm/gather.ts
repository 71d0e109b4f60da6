import type {
  LanguageModelV3Content,
  LanguageModelV3FinishReason,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
} from '@ai-sdk/provider';
import { LlmError } from './error';

/** What a streamed answer comes to: the same as of one that comes whole. */
export interface Gathered {
  readonly content: readonly LanguageModelV3Content[];
  readonly finishReason: LanguageModelV3FinishReason;
  readonly usage: LanguageModelV3Usage;
}

/** A piece of content on its way. */
type Growing = Extract<LanguageModelV3Content, { type: 'text' | 'reasoning' }>;

/**
 * Puts a streamed answer together, and tells of its text as it comes.
 * @throws LlmError llm_answer when it breaks off; whatever the library reports as an error
 */
export async function gather(
  stream: ReadableStream<LanguageModelV3StreamPart>,
  onText: (text: string) => void,
): Promise<Gathered> {
  const content: LanguageModelV3Content[] = [];
  const growing = new Map<string, Growing>();
  let finish: Extract<LanguageModelV3StreamPart, { type: 'finish' }> | null = null;
  for await (const part of stream as unknown as AsyncIterable<LanguageModelV3StreamPart>) {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start': {
        const piece: Growing = { type: part.type === 'text-start' ? 'text' : 'reasoning', text: '' };
        growing.set(keyOf(part), piece);
        content.push(piece);
        annotate(piece, part);
        break;
      }
      case 'text-delta':
      case 'reasoning-delta': {
        const piece = growing.get(keyOf(part));
        if (piece === undefined) break;
        piece.text += part.delta;
        annotate(piece, part);
        if (part.type === 'text-delta' && part.delta !== '') onText(part.delta);
        break;
      }
      case 'text-end':
      case 'reasoning-end': {
        const piece = growing.get(keyOf(part));
        if (piece !== undefined) annotate(piece, part);
        break;
      }
      case 'tool-call':
        content.push(part);
        break;
      case 'finish':
        finish = part;
        break;
      case 'error':
        throw part.error instanceof Error ? part.error : new Error(wordsOf(part.error));
      default:
    }
  }
  // Libraries end every stream with a reason; it is the provider's own only when that has said it.
  if (finish === null || finish.finishReason.raw === undefined)
    throw new LlmError('llm_answer', 'The answer of the model has broken off', { retryable: true });
  return { content, finishReason: finish.finishReason, usage: finish.usage };
}

type Piecemeal = Extract<LanguageModelV3StreamPart, { type: `${'text' | 'reasoning'}-${'start' | 'delta' | 'end'}` }>;

/** Texts and reasoning may have the same ids. */
const keyOf = ({ type, id }: Piecemeal): string => `${type.slice(0, type.indexOf('-'))} ${id}`;

/** What the provider wants back comes with any of the parts; the last one has all of it. */
function annotate(piece: Growing, { providerMetadata }: Piecemeal): void {
  if (providerMetadata !== undefined) piece.providerMetadata = { ...piece.providerMetadata, ...providerMetadata };
}

/** What a provider says in the middle of an answer. */
const wordsOf = (error: unknown): string => (typeof error === 'string' ? error : JSON.stringify(error));
