import type { Model } from 'mongoose';
import type { Clock } from '../../../lib/clock';
import type { LlmConfig } from '../../../lib/llm';
import { isDuplicateKey } from '../../../lib/duplicate-key';
import { AppError } from '../../../lib/errors';
import { isUuid, randomId } from '../../../lib/ids';
import { unresolvedRefs } from '../../../lib/unresolved-refs';
import type { JsonObject } from '../../../lib/json';
import type { Recorded } from '../../../mixins/audit';
import { ofTenant, type TenantScope } from '../../../lib/tenant';
import type { ChunkingView, EmbeddingView, KnowledgeBaseFields } from '../../../contracts/knowledge/views';
import type { BaseRecord, Reembedding } from '../models';
import { interrupt } from '../../../mixins/leased-work/interrupt';
import { isSameModel, parseEmbedding } from './embedding';
import { type Page } from '../../../lib/page';

const MAX_BASES_PER_TENANT = 1_000;
const DEFAULT_CHUNKING: ChunkingView = { max_tokens: 400, overlap_tokens: 60 };

interface BasesDeps {
  readonly model: Model<BaseRecord>;
  readonly clock: Clock;
  readonly platform: LlmConfig['platform'];
  /** Returns the names that no secret of the tenant has. */
  readonly missingSecrets: (tenantId: string, names: string[]) => Promise<readonly string[]>;
  /** Counts the chunks of a base. */
  readonly countChunks: (base: BaseRecord) => Promise<number>;
}

/** Knowledge bases of tenants. A removed base is invisible immediately; the worker removes its data later. */
export class Bases {
  constructor(private readonly deps: BasesDeps) {}

  list(tenantId: string, page: Page): Promise<BaseRecord[]> {
    return this.#scope(tenantId).find({ state: 'live' }, { sort: { created_at: -1, _id: -1 }, ...page });
  }

  count(tenantId: string): Promise<number> {
    return this.#scope(tenantId).count({ state: 'live' });
  }

  /** @throws AppError not_found */
  async get(tenantId: string, id: string): Promise<BaseRecord> {
    const found = await this.#scope(tenantId).findOne({ _id: id, state: 'live' });
    if (found === null) throw new AppError('not_found', `Knowledge base ${id} not found`);
    return found;
  }

  /** Returns the ids and names that match no base. */
  missing(tenantId: string, refs: readonly string[]): Promise<string[]> {
    return unresolvedRefs(refs, (condition) =>
      this.#scope(tenantId).find({ ...condition, state: 'live' }, { fields: ['name'] }),
    );
  }

  /** By id or name. @throws AppError not_found */
  async resolve(tenantId: string, ref: string): Promise<BaseRecord> {
    const byId = isUuid(ref) ? await this.#scope(tenantId).findOne({ _id: ref, state: 'live' }) : null;
    const found = byId ?? (await this.#scope(tenantId).findOne({ name: ref, state: 'live' }));
    if (found === null) throw new AppError('not_found', `Knowledge base ${ref} not found`);
    return found;
  }

  /** @throws AppError invalid_request, unknown_secret, conflict */
  async create(
    tenantId: string,
    fields: KnowledgeBaseFields & { name: string },
    recorded: Recorded,
  ): Promise<BaseRecord> {
    const embedding = await this.#parseEmbedding(tenantId, fields.embedding ?? null);
    const chunking = chunkingOf(DEFAULT_CHUNKING, fields.chunking);
    if ((await this.count(tenantId)) >= MAX_BASES_PER_TENANT)
      throw new AppError(
        'conflict',
        `The tenant has the maximum of ${MAX_BASES_PER_TENANT} knowledge bases; delete one first`,
      );
    await this.#assertNameFree(tenantId, fields.name);
    const now = new Date(this.deps.clock.now());
    const record: Omit<BaseRecord, 'tenant_id'> = {
      _id: randomId(),
      name: fields.name,
      description: fields.description ?? null,
      state: 'live',
      embedding,
      generation: 0,
      last_generation: 0,
      chunking,
      reembedding: null,
      retired: null,
      due_at: null,
      owner: null,
      attempts: 0,
      swept_at: now,
      created_at: now,
      updated_at: now,
    };
    const after = auditOf(record);
    return recorded({ action: 'knowledge_base.create', target: targetOf(record), after }, () =>
      this.#scope(tenantId).insert(record).catch(rethrowNameConflict(record.name)),
    );
  }

  /**
   * Changes the given fields. A change of the model starts a re-embedding in the background; the returned base has it as running.
   * @throws AppError not_found, invalid_request, unknown_secret, conflict
   */
  async update(tenantId: string, id: string, fields: KnowledgeBaseFields, recorded: Recorded): Promise<BaseRecord> {
    const before = await this.get(tenantId, id);
    const { name, description, chunking } = fields;
    if (name !== undefined && name !== before.name) await this.#assertNameFree(tenantId, name);
    const changed = {
      ...(name === undefined ? {} : { name }),
      ...(description === undefined ? {} : { description }),
      ...(chunking === undefined ? {} : { chunking: chunkingOf(before.chunking, chunking) }),
      ...(fields.embedding === undefined ? {} : await this.#modelChange(before, fields.embedding)),
      updated_at: new Date(this.deps.clock.now()),
    };
    const audit = { before: auditOf(before), after: auditOf({ ...before, ...changed }) };
    const seen = {
      _id: id,
      state: 'live' as const,
      generation: before.generation,
      last_generation: before.last_generation,
    };
    return recorded({ action: 'knowledge_base.update', target: targetOf(before), ...audit }, async () => {
      const after = await this.#scope(tenantId)
        .update(seen, { $set: changed })
        .catch(rethrowNameConflict(name ?? before.name));
      if (after === null) throw new AppError('conflict', 'The knowledge base was changed at the same time; try again');
      return after;
    });
  }

  /** Marks the base as removing. The worker then removes its documents and vectors. @throws AppError not_found */
  async remove(tenantId: string, id: string, recorded: Recorded): Promise<void> {
    const before = await this.get(tenantId, id);
    const change = { action: 'knowledge_base.delete', target: targetOf(before), before: auditOf(before) };
    await recorded(change, async () => {
      const now = new Date(this.deps.clock.now());
      const live = { _id: id, state: 'live' as const };
      const removed = await interrupt(this.#scope(tenantId), live, { state: 'removing' }, now);
      if (removed === null) throw new AppError('not_found', `Knowledge base ${id} not found`);
    });
  }

  /** Fields to set for a new embedding configuration. If the model is the same, only the key changes; otherwise a re-embedding starts. */
  async #modelChange(base: BaseRecord, given: KnowledgeBaseFields['embedding']): Promise<Partial<BaseRecord>> {
    const embedding = await this.#parseEmbedding(base.tenant_id, given ?? null);
    if (base.reembedding?.state === 'running')
      throw new AppError('conflict', 'A re-embedding is running; change the model when it has ended');
    if (isSameModel(base.embedding, embedding)) {
      return embedding === null
        ? {}
        : { embedding: { ...embedding, dimension: base.embedding?.dimension ?? embedding.dimension } };
    }
    const generation = base.last_generation + 1;
    const now = new Date(this.deps.clock.now());
    const total = await this.deps.countChunks(base);
    const initial = { state: 'running' as const, done: 0, total, error: null, started_at: now, ended_at: null };
    const reembedding: Reembedding = { ...initial, generation, embedding };
    return { reembedding, last_generation: generation, owner: null, attempts: 0, due_at: now };
  }

  async #parseEmbedding(tenantId: string, given: KnowledgeBaseFields['embedding']): Promise<EmbeddingView | null> {
    if (given === null || given === undefined) return null;
    const parsed = parseEmbedding(given, this.deps.platform);
    if (parsed.kind === 'invalid') throw invalid(parsed.path, parsed.message);
    const [missing] = parsed.secret === null ? [] : await this.deps.missingSecrets(tenantId, [parsed.secret]);
    if (missing !== undefined)
      throw new AppError('unknown_secret', `Unknown secret ${missing}; store it with POST /api/v1/secrets`);
    return parsed.embedding;
  }

  async #assertNameFree(tenantId: string, name: string): Promise<void> {
    if ((await this.#scope(tenantId).findOne({ name, state: 'live' })) !== null) throw nameConflict(name);
  }

  #scope(tenantId: string): TenantScope<BaseRecord> {
    return ofTenant(this.deps.model, tenantId);
  }
}

/** Merges chunk sizes; reduces a default overlap that is too large for the chunks. @throws AppError invalid_request */
function chunkingOf(before: ChunkingView, given: Partial<ChunkingView> = {}): ChunkingView {
  const chunking = { ...before, ...given };
  if (given.overlap_tokens === undefined && chunking.overlap_tokens * 2 > chunking.max_tokens)
    return { ...chunking, overlap_tokens: Math.floor(chunking.max_tokens / 6) };
  if (chunking.overlap_tokens * 2 > chunking.max_tokens)
    throw invalid('chunking.overlap_tokens', 'must be at most half of max_tokens');
  return chunking;
}

const invalid = (path: string, message: string): AppError =>
  new AppError('invalid_request', `The '${path}' ${message}`, { details: [{ path, message }] });

const nameConflict = (name: string): AppError =>
  new AppError('conflict', `A knowledge base named ${name} exists; choose another name`);

const rethrowNameConflict =
  (name: string) =>
  (fault: unknown): never => {
    throw isDuplicateKey(fault) ? nameConflict(name) : fault;
  };

const targetOf = ({ _id, name }: Pick<BaseRecord, '_id' | 'name'>) => ({ type: 'knowledge_base', id: _id, name });

function auditOf({ name, embedding, reembedding, chunking }: Omit<BaseRecord, 'tenant_id'>): JsonObject {
  const model = reembedding?.state === 'running' ? reembedding.embedding : embedding;
  return { name, model: model === null ? null : `${model.provider} ${model.model}`, chunking: { ...chunking } };
}
