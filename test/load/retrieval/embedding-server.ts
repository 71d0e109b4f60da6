import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

const DIMENSION = 512;
/** Length of the word prefixes that are hashed. */
const BEGINNING = 5;

/** A server of embeddings in OpenAI's protocol, with no model behind it. */
export interface EmbeddingServer {
  readonly baseUrl: string;
  /** `127.0.0.1:port`, for EGRESS_ALLOW. */
  readonly address: string;
  /** How many texts it was sent. */
  texts(): number;
  close(): Promise<void>;
}

/**
 * The same vector for the same text: beginnings of longer words, in places that their hash chooses. It knows nothing of
 * meaning, so what is found by it says how vectors travel, and nothing about any model.
 */
export function embeddingOf(text: string): number[] {
  const vector = new Array<number>(DIMENSION).fill(0);
  for (const [word] of text.toLowerCase().matchAll(/[a-z]{4,}/g)) {
    const hashed = createHash('sha256').update(word.slice(0, BEGINNING)).digest().readUInt32LE();
    const place = hashed % DIMENSION;
    vector[place] = (vector[place] as number) + (hashed & 0x80000000 ? 1 : -1) * word.length ** 2;
  }
  return vector;
}

export async function startEmbeddingServer(): Promise<EmbeddingServer> {
  let texts = 0;
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      const { model, input } = body as { model: string; input: string[] };
      texts += input.length;
      const data = input.map((text, index) => ({ object: 'embedding', index, embedding: embeddingOf(text) }));
      const usage = { prompt_tokens: input.length, total_tokens: input.length };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ object: 'list', model, data, usage }));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    baseUrl: `http://${address}/v1`,
    address,
    texts: () => texts,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
