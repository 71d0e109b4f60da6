import type { JsonObject } from '../../../lib/json';
import { DEFAULT_TOKENS, type LlmSeen, objectsIn, type Protocol, type Sent, vectorOf } from './reply';

const GENERATE = /^\/v1beta\/models\/([\w.-]+):(?:generateContent|streamGenerateContent\?alt=sse)$/;
const EMBED = /^\/v1beta\/models\/[\w.-]+:(embedContent|batchEmbedContents)$/;

/** Marks a function call of a thinking model; the next request must contain it, as the real service requires. */
const SIGNATURE = 'c2lnbmF0dXJl';

/** generateContent for messages, tools, embeddings and lists of models. */
export const google: Protocol = {
  read(path, body) {
    const model = GENERATE.exec(path)?.[1];
    if (model === undefined) return null;
    const contents = objectsIn(body.contents);
    return {
      model,
      answersBefore: contents.filter(({ role }) => role === 'model').length,
      fault: faultOf(contents),
    };
  },
  key: (headers) => headers['x-goog-api-key'] as string | undefined,
  say(_seen, reply) {
    const { input, output, cached = 0 } = reply.tokens ?? DEFAULT_TOKENS;
    const calls = reply.kind === 'tools' ? reply.calls : [];
    return {
      candidates: [
        {
          index: 0,
          finishReason: reply.kind === 'cut' ? 'MAX_TOKENS' : 'STOP',
          content: {
            role: 'model',
            parts: [
              ...(reply.text === undefined ? [] : [{ text: reply.text }]),
              ...calls.map(({ name, input: args }) => ({
                functionCall: { name, args },
                thoughtSignature: SIGNATURE,
              })),
            ],
          },
        },
      ],
      usageMetadata: {
        promptTokenCount: input,
        candidatesTokenCount: output,
        totalTokenCount: input + output,
        cachedContentTokenCount: cached,
      },
    };
  },
  stream({ path, answersBefore }, reply) {
    if (!path.includes(':stream')) return null;
    const piece = (text: string): JsonObject => ({
      candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] } }],
    });
    const { text: _text, ...rest } = reply;
    const whole = google.say({ answersBefore } as LlmSeen, { ...rest, text: undefined } as never) as JsonObject;
    return { before: [], piece, after: [whole] };
  },
  refuse: (status, message) => ({ error: { code: status, message, status: 'INVALID_ARGUMENT' } }),
  other(method, path, body): Sent | null {
    if (method === 'GET' && path.startsWith('/v1beta/models')) {
      return { status: 200, body: { models: [{ name: 'models/gemini-test', displayName: 'Gemini Test' }] } };
    }
    const kind = EMBED.exec(path)?.[1];
    if (method !== 'POST' || kind === undefined) return null;
    const values = (request: JsonObject): number[] => {
      const { parts } = request.content as { parts: { text: string }[] };
      return vectorOf(parts.map(({ text }) => text).join(''));
    };
    return kind === 'embedContent'
      ? { status: 200, body: { embedding: { values: values(body) } } }
      : { status: 200, body: { embeddings: objectsIn(body.requests).map((one) => ({ values: values(one) })) } };
  },
};

function faultOf(contents: readonly JsonObject[]): string | null {
  if (contents.length === 0) return 'contents is not specified';
  for (const { role, parts } of contents) {
    if (role !== 'user' && role !== 'model') return `Please use a valid role: user, model; not ${String(role)}`;
    const unsigned = objectsIn(parts).filter((part) => 'functionCall' in part && part.thoughtSignature !== SIGNATURE);
    if (unsigned.length > 0) return 'Function call is missing a thought_signature in functionCall parts';
  }
  return null;
}
