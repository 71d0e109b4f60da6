import { LlmError } from './error';
import type { LlmHttp, LlmMessage, LlmPart, LlmProvider } from './types';

const MAX_IMAGE_BYTES = 10 * 1024 * 1024;

/** Providers that do not fetch images themselves. */
const FETCHED_FOR: ReadonlySet<LlmProvider> = new Set(['google']);

/** Replaces image URLs by their content, where the provider needs it. @throws LlmError, EgressError */
export async function withImages(
  messages: readonly LlmMessage[],
  provider: LlmProvider,
  http: LlmHttp,
  signal?: AbortSignal,
): Promise<readonly LlmMessage[]> {
  if (!FETCHED_FOR.has(provider)) return messages;
  return Promise.all(
    messages.map(async (message) =>
      message.role === 'user'
        ? { ...message, parts: await Promise.all(message.parts.map((part) => withImage(part, http, signal))) }
        : message,
    ),
  );
}

async function withImage(part: LlmPart, http: LlmHttp, signal?: AbortSignal): Promise<LlmPart> {
  if (part.kind !== 'image' || part.url === undefined) return part;
  const { status, headers, body } = await http.request({
    method: 'GET',
    url: part.url,
    maxBytes: MAX_IMAGE_BYTES,
    ...(signal === undefined ? {} : { signal }),
  });
  const [mediaType = ''] = String(headers['content-type'] ?? '').split(';', 1);
  if (status !== 200 || !mediaType.startsWith('image/')) {
    const { host } = new URL(part.url);
    throw new LlmError(
      'llm_refused',
      `An image at ${host} cannot be fetched: status ${status}, ${mediaType || 'no type'}`,
    );
  }
  return { kind: 'image', base64: body.toString('base64'), mediaType };
}
