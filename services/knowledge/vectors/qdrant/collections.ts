import type { QdrantClient } from '@qdrant/js-client-rest';
import { AppError } from '../../../../lib/errors';
import { PAYLOAD_INDEXES } from './points';
import { send, sendOrNull, type RequestOptions, statusOf } from './requests';

/** Escapes characters that collection names must not contain. */
const escapeName = (text: string): string =>
  text.replace(/[^\w.-]/g, (character) => `~${character.codePointAt(0)?.toString(16) ?? ''}`);

/** Qdrant collections of one installation: one per vector dimension. */
export class Collections {
  readonly #prefix: string;
  readonly #known = new Map<number, Promise<string>>();

  constructor(
    private readonly client: QdrantClient,
    private readonly requestOptions: RequestOptions,
    namespace: string,
  ) {
    this.#prefix = `${escapeName(namespace)}_`;
  }

  nameOf(dimension: number): string {
    return `${this.#prefix}${dimension}`;
  }

  /** Names of the existing collections. */
  async list(): Promise<string[]> {
    const { collections } = await send(this.requestOptions, () => this.client.getCollections());
    return collections
      .map(({ name }) => name)
      .filter((name) => name.startsWith(this.#prefix) && /^\d+$/.test(name.slice(this.#prefix.length)));
  }

  /** Creates the collection and its payload indexes if missing. The result is cached until `invalidate`. */
  ensure(dimension: number): Promise<string> {
    const known = this.#known.get(dimension);
    if (known !== undefined) return known;
    const name = this.#createMissing(dimension);
    this.#known.set(dimension, name);
    name.catch(() => this.invalidate(dimension));
    return name;
  }

  invalidate(dimension: number): void {
    this.#known.delete(dimension);
  }

  async #createMissing(dimension: number): Promise<string> {
    const name = this.nameOf(dimension);
    const found = await this.#find(name);
    if (found === null) await send(this.requestOptions, () => this.#create(name, dimension));
    else assertFits(name, found.config.params.vectors, dimension);
    const indexed = found?.payload_schema ?? {};
    for (const [field_name, field_schema] of Object.entries(PAYLOAD_INDEXES)) {
      if (Object.hasOwn(indexed, field_name)) continue;
      await send(this.requestOptions, () =>
        this.client.createPayloadIndex(name, { field_name, field_schema, wait: true }),
      );
    }
    return name;
  }

  #find(name: string): Promise<Awaited<ReturnType<QdrantClient['getCollection']>> | null> {
    return sendOrNull(this.requestOptions, () => this.client.getCollection(name));
  }

  async #create(name: string, size: number): Promise<void> {
    try {
      await this.client.createCollection(name, {
        vectors: { size, distance: 'Cosine' },
        // HNSW links are built within a tenant alone, since no search covers all tenants.
        hnsw_config: { m: 0, payload_m: 16 },
      });
    } catch (fault) {
      // Another process may have created it concurrently; older servers then answer 400 instead of 409.
      const status = statusOf(fault);
      if ((status !== 409 && status !== 400) || (await this.#find(name)) === null) throw fault;
    }
  }
}

/** @throws AppError unavailable if the collection has other vectors */
function assertFits(name: string, vectors: unknown, dimension: number): void {
  const { size, distance } = (vectors ?? {}) as { size?: unknown; distance?: unknown };
  if (size !== dimension || distance !== 'Cosine')
    throw new AppError('unavailable', `The Qdrant collection ${name} was not created by this service; remove it`);
}
