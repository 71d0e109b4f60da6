import { sha256 } from '../../../lib/crypto';
import { isDuplicateKey } from '../../../lib/duplicate-key';
import { AppError } from '../../../lib/errors';
import { randomId } from '../../../lib/ids';
import type { Recorded } from '../../../mixins/audit';
import { ofTenant, type TenantScope } from '../../../lib/tenant';
import type { AddedDocument, DocumentState, DocumentView, NewDocument } from '../../../contracts/knowledge/views';
import { SHORT_TEXT_BYTES } from '../ingest/ingest-revision';
import { type BaseRecord, type ChunkRecord, contentId, type DocumentRecord, FIRST_REVISION, idsUnder } from '../models';
import type { KnowledgeDeps } from '../deps';
import { documentView } from '../views';
import { interrupt } from '../../../mixins/leased-work/interrupt';
import { LEASE_MS } from '../../../mixins/leased-work/lease';
import { validateMetadata, defaultName, newDocumentRecord, type DocumentInput, urlSource } from './new-document';
import { type Page } from '../../../lib/page';

/** Worker that processes documents. */
interface Worker {
  kick(): void;
  execute(record: DocumentRecord): Promise<void>;
}

/** An upload whose parts are all stored. */
interface CompletedUpload {
  readonly id: string;
  readonly size: number;
  readonly name?: string;
  readonly metadata?: NewDocument['metadata'];
}

/**
 * Documents of bases. Callers have read the base from its tenant. A removed document is invisible immediately; the worker
 * removes its data later.
 */
export class Documents {
  constructor(
    private readonly deps: KnowledgeDeps,
    private readonly worker: Worker,
  ) {}

  list(base: BaseRecord, status: DocumentState | undefined, page: Page): Promise<DocumentRecord[]> {
    const filter = { base_id: base._id, state: 'live' as const, ...(status === undefined ? {} : { status }) };
    return this.#scope(base).find(filter, { sort: { created_at: -1, _id: -1 }, ...page });
  }

  /** Null if no live document has the id. */
  find(base: BaseRecord, id: string): Promise<DocumentRecord | null> {
    return this.#scope(base).findOne({ _id: id, base_id: base._id, state: 'live' });
  }

  /** @throws AppError not_found */
  async get(base: BaseRecord, id: string): Promise<DocumentRecord> {
    const found = await this.find(base, id);
    if (found === null) throw new AppError('not_found', `The knowledge base has no document ${id}`);
    return found;
  }

  /** Chunks of the searchable revision, in order. */
  async chunks(base: BaseRecord, id: string, page: Page): Promise<ChunkRecord[]> {
    const { _id, revision } = await this.get(base, id);
    const ofRevision = { _id: idsUnder(`${_id}:${revision}`) };
    return ofTenant(this.deps.models.chunks, base.tenant_id).find(ofRevision, { sort: { _id: 1 }, ...page });
  }

  /** Adds a text or a URL. A short text in a lexical base is ingested before this returns. @throws AppError */
  async add(base: BaseRecord, given: NewDocument, recorded: Recorded): Promise<AddedDocument> {
    const { text, url, refresh, key = null } = given;
    const metadata = validateMetadata(given.metadata ?? {});
    const known = key === null ? null : await this.#scope(base).findOne({ base_id: base._id, key, state: 'live' });
    if (known !== null) return documentView(known);
    const named = { base, key, metadata, id: randomId() };
    if (url !== undefined && text === undefined) {
      const source = urlSource(url, refresh);
      const name = given.name ?? given.title ?? source.url;
      const record = { ...named, name, source, content: null };
      return (await this.#findDuplicate(record)) ?? this.#insert(record, recorded);
    }
    if (text === undefined || url !== undefined) throw invalid("Send either 'text' or 'url', and not both");
    if (refresh !== undefined) throw invalid("'refresh' requires 'url'");
    return this.#addText({ ...named, name: given.name ?? given.title ?? defaultName(text) }, text, recorded);
  }

  async #addText(
    named: Omit<DocumentInput, 'source' | 'content'>,
    text: string,
    recorded: Recorded,
  ): Promise<AddedDocument> {
    const { contents, app } = this.deps;
    const { base, id } = named;
    if (text.trim() === '') throw invalid("The 'text' is empty");
    const bytes = Buffer.from(text);
    if (bytes.length > app.config.uploadLimit)
      throw new AppError('payload_too_large', `A document may have ${app.config.uploadLimit} bytes at most`);
    const hash = sha256(bytes);
    const content = {
      id: contentId(id, FIRST_REVISION),
      size: bytes.length,
      hash,
      content_type: 'text/plain',
      url: null,
    };
    const record = { ...named, source: { kind: 'text' as const }, content };
    const same = await this.#findDuplicate(record);
    if (same !== null) return same;
    const upload = { id, baseId: base._id, filename: named.name, contentType: 'text/plain', bytes: bytes.length };
    await contents.beginUpload(base.tenant_id, upload);
    await contents.write(base.tenant_id, content.id, bytes);
    const ingestNow = base.embedding === null && bytes.length <= SHORT_TEXT_BYTES;
    return this.#insert(record, recorded, { ingestNow, reservedBytes: bytes.length });
  }

  /** Creates a document from a complete upload. Idempotent. @throws AppError conflict */
  async commitUpload(
    base: BaseRecord,
    { id, size, name, metadata }: CompletedUpload,
    recorded: Recorded,
  ): Promise<AddedDocument> {
    const { contents } = this.deps;
    const existing = await this.find(base, id);
    if (existing !== null) return documentView(existing);
    const upload = await contents.findOpenUpload(base.tenant_id, id);
    if (upload === null || upload.base_id !== base._id)
      throw new AppError('conflict', 'The upload does not exist or was abandoned; start a new upload');
    const { filename, content_type } = upload;
    if (size === 0) throw invalid('The file is empty');
    const hash = await contents.digest(base.tenant_id, contentId(id, FIRST_REVISION), size);
    const content = { id: contentId(id, FIRST_REVISION), size, hash, content_type, url: null };
    const source = { kind: 'upload' as const, filename, content_type };
    const fields = { id, base, name: name ?? filename, key: null, metadata: validateMetadata(metadata ?? {}) };
    const record = { ...fields, source, content };
    const same = await this.#findDuplicate(record);
    if (same === null) return this.#insert(record, recorded, { reservedBytes: upload.bytes ?? 0 });
    await contents.abandonUpload(base.tenant_id, id);
    return same;
  }

  /** Queues a new revision: fetches a URL again, or parses the stored content with the base's current settings. @throws AppError not_found */
  async refresh(base: BaseRecord, id: string): Promise<DocumentView> {
    const record = await this.get(base, id);
    if (record.next !== null) return documentView(record);
    const revision = record.last_revision + 1;
    const content = record.source.kind === 'url' ? null : record.content;
    const queued = {
      next: { revision, chunking: base.chunking, content, cut: null },
      last_revision: revision,
      status: 'queued' as const,
      error: null,
    };
    const seen = { _id: id, state: 'live' as const, last_revision: record.last_revision, next: null };
    const after = await interrupt(this.#scope(base), seen, queued, this.#now());
    this.deps.notices.changed(base.tenant_id, base._id);
    this.worker.kick();
    return documentView(after ?? (await this.get(base, id)));
  }

  /** Marks the document as removing. The worker then removes its data. @throws AppError not_found */
  async remove(base: BaseRecord, id: string, recorded: Recorded): Promise<void> {
    const before = await this.get(base, id);
    await recorded(
      { action: 'knowledge_document.delete', target: targetOf(before), before: auditOf(before) },
      async () => {
        const live = { _id: id, base_id: base._id, state: 'live' as const };
        const removed = await interrupt(this.#scope(base), live, { state: 'removing' }, this.#now());
        if (removed === null) throw new AppError('not_found', `The knowledge base has no document ${id}`);
      },
    );
    this.deps.quota.invalidate(base.tenant_id);
    this.deps.notices.changed(base.tenant_id, base._id);
    this.worker.kick();
  }

  /** Stores the record. `ingestNow`: ingests it in this call; `reservedBytes`: bytes that the upload has reserved in the quota. */
  async #insert(
    given: DocumentInput,
    recorded: Recorded,
    { ingestNow = false, reservedBytes = 0 }: { ingestNow?: boolean; reservedBytes?: number } = {},
  ): Promise<AddedDocument> {
    const { base, id, content } = given;
    const { quota, app, contents } = this.deps;
    const claimed = ingestNow
      ? { owner: randomId(), due_at: new Date(app.clock.now() + LEASE_MS), attempts: 1 }
      : { due_at: new Date(app.clock.now()) };
    const record = { ...newDocumentRecord(given, new Date(app.clock.now())), ...claimed };
    const audit = { action: 'knowledge_document.create', target: targetOf(record), after: auditOf(record) };
    let inserted: DocumentRecord;
    try {
      const insert = async (): Promise<DocumentRecord> => {
        const document = await this.#scope(base).insert(record);
        if (content !== null) await contents.removeUpload(base.tenant_id, id);
        return document;
      };
      inserted = await recorded(audit, () =>
        quota.storeWithin(base.tenant_id, (content?.size ?? 0) - reservedBytes, insert),
      );
    } catch (fault) {
      if (isDuplicateKey(fault)) return this.#resolveInsertConflict(given);
      // After a database error the record may exist and need its content, so the sweep decides.
      if (fault instanceof AppError) await contents.abandonUpload(base.tenant_id, id);
      throw fault;
    }
    this.deps.notices.changed(base.tenant_id, base._id);
    if (!ingestNow) this.worker.kick();
    else await this.worker.execute(inserted);
    return documentView(ingestNow ? ((await this.#scope(base).findOne({ _id: id })) ?? inserted) : inserted);
  }

  /** Returns the document with the same content or URL, or null. */
  async #findDuplicate({ base, ...given }: DocumentInput): Promise<AddedDocument | null> {
    const { identity } = newDocumentRecord({ base, ...given }, new Date(0));
    const found = await this.#scope(base).findOne({ base_id: base._id, identity, state: 'live' });
    return found === null ? null : { ...documentView(found), duplicate: true };
  }

  /** After a duplicate key: returns the document that a concurrent request inserted. */
  async #resolveInsertConflict(given: DocumentInput): Promise<AddedDocument> {
    const { base, id, key } = given;
    const own = await this.#scope(base).findOne({ _id: id, base_id: base._id, state: 'live' });
    if (own !== null) return documentView(own);
    await this.deps.contents.abandonUpload(base.tenant_id, id);
    const known = key === null ? null : await this.#scope(base).findOne({ base_id: base._id, key, state: 'live' });
    const same = known === null ? await this.#findDuplicate(given) : documentView(known);
    if (same === null)
      throw new AppError('conflict', 'The same document was added and removed concurrently; try again');
    return same;
  }

  #now(): Date {
    return new Date(this.deps.app.clock.now());
  }

  #scope({ tenant_id }: BaseRecord): TenantScope<DocumentRecord> {
    return ofTenant(this.deps.models.documents, tenant_id);
  }
}

const invalid = (message: string): AppError => new AppError('invalid_request', message);

const targetOf = ({ _id, name }: Pick<DocumentRecord, '_id' | 'name'>) => ({
  type: 'knowledge_document',
  id: _id,
  name,
});

const auditOf = ({ base_id, source }: Pick<DocumentRecord, 'base_id' | 'source'>) => ({
  knowledge_base_id: base_id,
  source: source.kind,
});
