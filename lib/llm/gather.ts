import type {
  LanguageModelV3Content,
  LanguageModelV3FinishReason,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
} from '@ai-sdk/provider';
import { LlmError } from './error';

/** The result of a streamed response, as of a complete one. */
interface Gathered {
  readonly content: readonly LanguageModelV3Content[];
  readonly finishReason: LanguageModelV3FinishReason;
  readonly usage: LanguageModelV3Usage;
}

/** A content part that is being streamed. */
type Growing = Extract<LanguageModelV3Content, { type: 'text' | 'reasoning' }>;

/**
 * Assembles a streamed response and reports its text.
 * @throws LlmError llm_answer for an incomplete stream; errors that the library reports
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
  // Libraries end every stream with a reason; without a raw reason it is not the provider's.
  if (finish === null || finish.finishReason.raw === undefined)
    throw new LlmError('llm_answer', 'The response of the model is incomplete', { retryable: true });
  return { content, finishReason: finish.finishReason, usage: finish.usage };
}

type Piecemeal = Extract<LanguageModelV3StreamPart, { type: `${'text' | 'reasoning'}-${'start' | 'delta' | 'end'}` }>;

/** Text and reasoning parts may share ids. */
const keyOf = ({ type, id }: Piecemeal): string => `${type.slice(0, type.indexOf('-'))} ${id}`;

/** Any part may carry the data that the provider wants back; the last one is complete. */
function annotate(piece: Growing, { providerMetadata }: Piecemeal): void {
  if (providerMetadata !== undefined) piece.providerMetadata = { ...piece.providerMetadata, ...providerMetadata };
}

/** An error that the provider reports within a stream. */
const wordsOf = (error: unknown): string => (typeof error === 'string' ? error : JSON.stringify(error));
