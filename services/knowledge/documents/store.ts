import { sha256 } from '../../../lib/crypto';
import { isDuplicateKey } from '../../../lib/duplicate-key';
import { AppError } from '../../../lib/errors';
import { randomId } from '../../../lib/ids';
import type { Recorded } from '../../../mixins/audit';
import { ofTenant, type TenantScope } from '../../../lib/tenant';
import type { AddedDocument, DocumentState, DocumentView, NewDocument } from '../../../contracts/knowledge/views';
import { SHORT_TEXT_BYTES } from '../ingest/revising';
import { type BaseRecord, type ChunkRecord, contentId, type DocumentRecord, under } from '../models';
import type { KnowledgeParts } from '../parts';
import { documentView } from '../views';
import { interrupt } from '../work/interrupt';
import { LEASE_MS } from '../work/lease';
import { checkedMetadata, nameOfText, newRecord, type NewRecord, urlSource } from './new';
import { type Page } from '../../../lib/page';

/** Who does the work on documents. */
interface Worker {
  kick(): void;
  execute(record: DocumentRecord): Promise<void>;
}

/** A file that has come in whole. */
interface Uploaded {
  readonly id: string;
  readonly size: number;
  readonly name?: string;
  readonly metadata?: NewDocument['metadata'];
}

const FIRST = 1;

/** Documents of bases. The base has been found in the tenant before. What is removed is gone from here at once. */
export class Documents {
  constructor(
    private readonly parts: KnowledgeParts,
    private readonly worker: Worker,
  ) {}

  list(base: BaseRecord, status: DocumentState | undefined, page: Page): Promise<DocumentRecord[]> {
    const filter = { base_id: base._id, state: 'live' as const, ...(status === undefined ? {} : { status }) };
    return this.#of(base).find(filter, { sort: { created_at: -1, _id: -1 }, ...page });
  }

  /** Null where there is none. */
  find(base: BaseRecord, id: string): Promise<DocumentRecord | null> {
    return this.#of(base).findOne({ _id: id, base_id: base._id, state: 'live' });
  }

  /** @throws AppError not_found */
  async get(base: BaseRecord, id: string): Promise<DocumentRecord> {
    const found = await this.find(base, id);
    if (found === null) throw new AppError('not_found', `The knowledge base has no document ${id}`);
    return found;
  }

  /** Chunks of what is searched, in their order. */
  async chunks(base: BaseRecord, id: string, page: Page): Promise<ChunkRecord[]> {
    const { _id, revision } = await this.get(base, id);
    const its = { _id: under(`${_id}:${revision}`) };
    return ofTenant(this.parts.models.chunks, base.tenant_id).find(its, { sort: { _id: 1 }, ...page });
  }

  /** Adds a text or an address. A short text of a lexical base is ready in the answer. @throws AppError */
  async add(base: BaseRecord, given: NewDocument, recorded: Recorded): Promise<AddedDocument> {
    const { text, url, refresh, key = null } = given;
    const metadata = checkedMetadata(given.metadata ?? {});
    const known = key === null ? null : await this.#of(base).findOne({ base_id: base._id, key, state: 'live' });
    if (known !== null) return documentView(known);
    const named = { base, key, metadata, id: randomId() };
    if (url !== undefined && text === undefined) {
      const source = urlSource(url, refresh);
      const name = given.name ?? given.title ?? source.url;
      const record = { ...named, name, source, content: null };
      return (await this.#same(record)) ?? this.#insert(record, recorded);
    }
    if (text === undefined || url !== undefined) throw invalid("Send either 'text' or 'url', and not both");
    if (refresh !== undefined) throw invalid("'refresh' is for documents that come from a 'url'");
    return this.#addText({ ...named, name: given.name ?? given.title ?? nameOfText(text) }, text, recorded);
  }

  async #addText(
    named: Omit<NewRecord, 'source' | 'content'>,
    text: string,
    recorded: Recorded,
  ): Promise<AddedDocument> {
    const { contents, app } = this.parts;
    const { base, id } = named;
    if (text.trim() === '') throw invalid("The 'text' is empty");
    const bytes = Buffer.from(text);
    if (bytes.length > app.config.uploadLimit)
      throw new AppError('payload_too_large', `A document may have ${app.config.uploadLimit} bytes at most`);
    const hash = sha256(bytes);
    const content = { id: contentId(id, FIRST), size: bytes.length, hash, content_type: 'text/plain', url: null };
    const record = { ...named, source: { kind: 'text' as const }, content };
    const same = await this.#same(record);
    if (same !== null) return same;
    const upload = { id, baseId: base._id, filename: named.name, contentType: 'text/plain', bytes: bytes.length };
    await contents.begin(base.tenant_id, upload);
    await contents.write(base.tenant_id, content.id, bytes);
    const now = base.embedding === null && bytes.length <= SHORT_TEXT_BYTES;
    return this.#insert(record, recorded, { now, reserved: bytes.length });
  }

  /** Makes a document of an upload whose parts are all there. Repeating it answers the same. @throws AppError conflict */
  async commitUpload(
    base: BaseRecord,
    { id, size, name, metadata }: Uploaded,
    recorded: Recorded,
  ): Promise<AddedDocument> {
    const { contents } = this.parts;
    const made = await this.find(base, id);
    if (made !== null) return documentView(made);
    const upload = await contents.upload(base.tenant_id, id);
    if (upload === null || upload.base_id !== base._id)
      throw new AppError('conflict', 'The upload was given up, or never begun');
    const { filename, content_type } = upload;
    if (size === 0) throw invalid('The file is empty');
    const hash = await contents.digest(base.tenant_id, contentId(id, FIRST), size);
    const content = { id: contentId(id, FIRST), size, hash, content_type, url: null };
    const source = { kind: 'upload' as const, filename, content_type };
    const of = { id, base, name: name ?? filename, key: null, metadata: checkedMetadata(metadata ?? {}) };
    const record = { ...of, source, content };
    const same = await this.#same(record);
    if (same === null) return this.#insert(record, recorded, { reserved: upload.bytes ?? 0 });
    await contents.giveUp(base.tenant_id, id);
    return same;
  }

  /** Fetches an address again; reads anew what was sent, by the base's present settings. @throws AppError not_found */
  async refresh(base: BaseRecord, id: string): Promise<DocumentView> {
    const record = await this.get(base, id);
    if (record.next !== null) return documentView(record);
    const revision = record.last_revision + 1;
    const content = record.source.kind === 'url' ? null : record.content;
    const begun = {
      next: { revision, chunking: base.chunking, content, cut: null },
      last_revision: revision,
      status: 'queued' as const,
      error: null,
    };
    const seen = { _id: id, state: 'live' as const, last_revision: record.last_revision, next: null };
    const after = await interrupt(this.#of(base), seen, begun, this.#now());
    this.worker.kick();
    return documentView(after ?? (await this.get(base, id)));
  }

  /** It is gone at once; what it has goes after it. @throws AppError not_found */
  async remove(base: BaseRecord, id: string, recorded: Recorded): Promise<void> {
    const before = await this.get(base, id);
    await recorded(
      { action: 'knowledge_document.delete', target: targetOf(before), before: auditOf(before) },
      async () => {
        const live = { _id: id, base_id: base._id, state: 'live' as const };
        const removed = await interrupt(this.#of(base), live, { state: 'removing' }, this.#now());
        if (removed === null) throw new AppError('not_found', `The knowledge base has no document ${id}`);
      },
    );
    this.parts.quota.forget(base.tenant_id);
    this.worker.kick();
  }

  /** Stores the record. `now`: it is ingested within the call, as far as that goes; `reserved`: by its upload, in bytes. */
  async #insert(
    given: NewRecord,
    recorded: Recorded,
    { now = false, reserved = 0 }: { now?: boolean; reserved?: number } = {},
  ): Promise<AddedDocument> {
    const { base, id, content } = given;
    const { quota, app, contents } = this.parts;
    const claimed = now
      ? { owner: randomId(), due_at: new Date(app.clock.now() + LEASE_MS), attempts: 1 }
      : { due_at: new Date(app.clock.now()) };
    const record = { ...newRecord(given, new Date(app.clock.now())), ...claimed };
    const audit = { action: 'knowledge_document.create', target: targetOf(record), after: auditOf(record) };
    let inserted: DocumentRecord;
    try {
      const insert = async (): Promise<DocumentRecord> => {
        const made = await this.#of(base).insert(record);
        if (content !== null) await contents.taken(base.tenant_id, id);
        return made;
      };
      inserted = await recorded(audit, () => quota.keep(base.tenant_id, (content?.size ?? 0) - reserved, insert));
    } catch (fault) {
      if (isDuplicateKey(fault)) return this.#lateDuplicate(given);
      // Where the database did not say, the record may be there, and needs its content: the sweep will know.
      if (fault instanceof AppError) await contents.giveUp(base.tenant_id, id);
      throw fault;
    }
    if (!now) this.worker.kick();
    else await this.worker.execute(inserted);
    return documentView(now ? ((await this.#of(base).findOne({ _id: id })) ?? inserted) : inserted);
  }

  /** The document that has the same content, or comes from the same address. */
  async #same({ base, ...given }: NewRecord): Promise<AddedDocument | null> {
    const { identity } = newRecord({ base, ...given }, new Date(0));
    const found = await this.#of(base).findOne({ base_id: base._id, identity, state: 'live' });
    return found === null ? null : { ...documentView(found), duplicate: true };
  }

  /** Another request has added the same document at the same time. */
  async #lateDuplicate(given: NewRecord): Promise<AddedDocument> {
    const { base, id, key } = given;
    const own = await this.#of(base).findOne({ _id: id, base_id: base._id, state: 'live' });
    if (own !== null) return documentView(own);
    await this.parts.contents.giveUp(base.tenant_id, id);
    const known = key === null ? null : await this.#of(base).findOne({ base_id: base._id, key, state: 'live' });
    const same = known === null ? await this.#same(given) : documentView(known);
    if (same === null)
      throw new AppError('conflict', 'The same document was added, and removed, at the same time; try again');
    return same;
  }

  #now(): Date {
    return new Date(this.parts.app.clock.now());
  }

  #of({ tenant_id }: BaseRecord): TenantScope<DocumentRecord> {
    return ofTenant(this.parts.models.documents, tenant_id);
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
