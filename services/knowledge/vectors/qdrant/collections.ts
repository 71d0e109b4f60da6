import type { QdrantClient } from '@qdrant/js-client-rest';
import { AppError } from '../../../../lib/errors';
import { PAYLOAD_INDEXES } from './points';
import { ask, askIfThere, type RequestKind, statusOf } from './requests';

/** Characters that names of collections may not have are written by their codes. */
const plain = (text: string): string =>
  text.replace(/[^\w.-]/g, (character) => `~${character.codePointAt(0)?.toString(16) ?? ''}`);

/** The collections of one installation: one for each length of vectors. */
export class Collections {
  readonly #prefix: string;
  readonly #known = new Map<number, Promise<string>>();

  constructor(
    private readonly client: QdrantClient,
    private readonly requestKind: RequestKind,
    namespace: string,
  ) {
    this.#prefix = `${plain(namespace)}_`;
  }

  nameOf(dimension: number): string {
    return `${this.#prefix}${dimension}`;
  }

  /** Those that there are, of all lengths. */
  async all(): Promise<string[]> {
    const { collections } = await ask(this.requestKind, () => this.client.getCollections());
    return collections
      .map(({ name }) => name)
      .filter((name) => name.startsWith(this.#prefix) && /^\d+$/.test(name.slice(this.#prefix.length)));
  }

  /** Makes the collection, or what of it is missing. Looked at once, until `forget`. */
  ready(dimension: number): Promise<string> {
    const known = this.#known.get(dimension);
    if (known !== undefined) return known;
    const made = this.#make(dimension);
    this.#known.set(dimension, made);
    made.catch(() => this.forget(dimension));
    return made;
  }

  /** It was found to be gone. */
  forget(dimension: number): void {
    this.#known.delete(dimension);
  }

  async #make(dimension: number): Promise<string> {
    const name = this.nameOf(dimension);
    const found = await this.#find(name);
    if (found === null) await ask(this.requestKind, () => this.#create(name, dimension));
    else assertFits(name, found.config.params.vectors, dimension);
    const indexed = found?.payload_schema ?? {};
    for (const [field_name, field_schema] of Object.entries(PAYLOAD_INDEXES)) {
      if (Object.hasOwn(indexed, field_name)) continue;
      await ask(this.requestKind, () => this.client.createPayloadIndex(name, { field_name, field_schema, wait: true }));
    }
    return name;
  }

  #find(name: string): Promise<Awaited<ReturnType<QdrantClient['getCollection']>> | null> {
    return askIfThere(this.requestKind, () => this.client.getCollection(name));
  }

  async #create(name: string, size: number): Promise<void> {
    try {
      await this.client.createCollection(name, {
        vectors: { size, distance: 'Cosine' },
        // HNSW links are built within a tenant alone, since no search covers all tenants.
        hnsw_config: { m: 0, payload_m: 16 },
      });
    } catch (fault) {
      // Another process may have made it just now; older servers say so with 400.
      const status = statusOf(fault);
      if ((status !== 409 && status !== 400) || (await this.#find(name)) === null) throw fault;
    }
  }
}

/** @throws AppError unavailable when another program has made a collection of that name */
function assertFits(name: string, vectors: unknown, dimension: number): void {
  const { size, distance } = (vectors ?? {}) as { size?: unknown; distance?: unknown };
  if (size !== dimension || distance !== 'Cosine')
    throw new AppError('unavailable', `The collection ${name} of Qdrant was not made by this service; remove it`);
}
