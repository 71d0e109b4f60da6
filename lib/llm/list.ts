import { isObject } from '../json';
import { toLlmError, type LlmContext } from './client';
import { hiding, refusalError } from './error';
import { providerFetch } from './fetch';
import type { LlmAccess, LlmProvider } from './types';

/** A model in a provider's list. */
interface LlmModel {
  readonly id: string;
  readonly name: string;
}

interface Listing {
  readonly path: string;
  headers(key: string): Record<string, string>;
  /** The list member of the response, and how to read an entry. */
  readonly member: string;
  read(entry: Record<string, unknown>): LlmModel;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const openai: Listing = {
  path: '/models',
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  member: 'data',
  read: ({ id }) => ({ id: text(id), name: text(id) }),
};

const LISTINGS: Readonly<Record<LlmProvider, Listing>> = {
  openai,
  'openai-compatible': openai,
  anthropic: {
    path: '/models?limit=1000',
    headers: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
    member: 'data',
    read: ({ id, display_name }) => ({ id: text(id), name: text(display_name) || text(id) }),
  },
  google: {
    path: '/models?pageSize=1000',
    headers: (key) => ({ 'x-goog-api-key': key }),
    member: 'models',
    read: ({ name, displayName }) => {
      const id = text(name).replace(/^models\//, '');
      return { id, name: text(displayName) || id };
    },
  },
};

const MAX_MODELS = 2_000;

/** Lists the models available to a key, by id. @throws LlmError only */
export async function listModels(
  access: LlmAccess,
  world: Pick<LlmContext, 'http' | 'now'>,
  signal?: AbortSignal,
): Promise<readonly LlmModel[]> {
  const { path, headers, member, read } = LISTINGS[access.provider];
  try {
    const response = await providerFetch(world.http, access.apiKey)(`${access.baseUrl}${path}`, {
      headers: headers(access.apiKey ?? 'none'),
      ...(signal === undefined ? {} : { signal }),
    });
    const body = await response.text();
    if (!response.ok) {
      const retryAfter = response.headers.get('retry-after') ?? '';
      throw refusalError(
        { status: response.status, retryAfter, body },
        access.provider,
        hiding(access.apiKey),
        world.now,
      );
    }
    const answer: unknown = JSON.parse(body);
    const entries: unknown = isObject(answer) ? answer[member] : undefined;
    if (!Array.isArray(entries)) throw new Error(`it has no list "${member}"`);
    return entries
      .slice(0, MAX_MODELS)
      .flatMap((entry: unknown): LlmModel[] => (isObject(entry) ? [read(entry)] : []))
      .filter((model) => model.id !== '')
      .sort((a, b) => (a.id < b.id ? -1 : 1));
  } catch (fault) {
    throw toLlmError(fault, access, world.now);
  }
}
