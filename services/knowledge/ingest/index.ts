import { sha256 } from '../../../lib/crypto';
import { isUnreachable } from '../../../lib/database';
import { ofTenant } from '../../../lib/tenant';
import type { BaseRecord, DocumentRecord } from '../models';
import type { KnowledgeParts } from '../parts';
import { removeDocument, tidyDocument } from '../removal';
import { type Lease, LeaseLost } from '../work/lease';
import { afterFailure, isPoison } from '../work/retry-policy';
import { searchedChunks } from './chunks';
import { IngestFault, ingestFault } from './fault';
import { fetchContent } from './fetching';
import { checked, unchecked, unknownOf } from './checking';
import { revise, takeContent } from './revising';
import { taskOf } from './task';
import { putVectors } from './vectors';

type DocumentLease = Lease<DocumentRecord>;

/** Pause after background work has failed permanently. */
const PAUSE_MS = 10 * 60_000;

/** Work on documents: whatever there is to be done about one, until there is nothing more for now. */
export const documentWork =
  (parts: KnowledgeParts) =>
  async (lease: DocumentLease): Promise<void> => {
    try {
      if (isPoison(lease.record.attempts))
        throw new IngestFault(
          'internal',
          'Reading this document has crashed its process too often; remove it or send another file',
        );
      while (!lease.signal.aborted) await doNext(parts, lease);
    } catch (thrown) {
      // A fault cannot be stored while the database is unreachable: the lease expires, and a process tries again.
      if (lease.signal.aborted || thrown instanceof LeaseLost || isUnreachable(thrown)) throw thrown;
      const fault = ingestFault(thrown);
      if (fault.code === 'internal') parts.warn(`The document ${lease.record._id} is not ingested`, thrown);
      await settle(parts, lease, fault);
    }
  };

/** The next thing; the lease ends with the last. */
async function doNext(parts: KnowledgeParts, lease: DocumentLease): Promise<void> {
  const { models, app } = parts;
  const { tenant_id, base_id } = lease.record;
  const base = await ofTenant(models.bases, tenant_id).findOne({ _id: base_id });
  const task = taskOf(lease.record, base, app.clock.now());
  // A base that is gone has only documents that are to be removed.
  const its = base as BaseRecord;
  switch (task.kind) {
    case 'remove':
      return removeDocument(parts, lease, base);
    case 'ingest':
      if (lease.record.next?.content === null) return check(parts, lease, its);
      return revise(parts, lease, its);
    case 'check':
      return check(parts, lease, its);
    case 'tidy':
      await tidyDocument(parts, lease.record);
      await lease.write({ leftovers: false });
      return;
    case 'embed': {
      const { revision, generations } = lease.record;
      const chunks = await searchedChunks(models, lease.record, revision);
      const progress = { signal: lease.signal, done: async () => void (await lease.write({ attempts: 0 })) };
      await putVectors(parts, lease.record, { revision, chunks }, task.generation, progress);
      await lease.write({ generations: [...generations, task.generation.number], leftovers: true });
      return;
    }
    case 'rest':
      await lease.end({ attempts: 0 }, task.until);
  }
}

/** Asks the document's address for its content. Where it is as it was, all stays as it is. */
async function check(parts: KnowledgeParts, lease: DocumentLease, base: BaseRecord): Promise<void> {
  const { app, providers } = parts;
  const { source, content, revision, next } = lease.record;
  if (source.kind !== 'url') throw new Error('There is nothing to read the document from');
  if (next !== null) await lease.write({ status: 'parsing' });
  const now = app.clock.now();
  const fetched = await fetchContent(providers.egress, source, {
    conditional: revision > 0,
    mostBytes: app.config.uploadLimit,
    now,
    signal: lease.signal,
  });
  const isNew = fetched.kind === 'content' && (revision === 0 || sha256(fetched.body) !== content?.hash);
  if (isNew) return takeContent(parts, lease, fetched, base.chunking);
  const same = { status: 'ready' as const, next: null, progress: null, error: null, attempts: 0 };
  await lease.write({ ...same, source: checked(source, new Date(now)) });
}

/** Says what went wrong, and when the next try is. What is searched stays. */
async function settle({ app }: KnowledgeParts, lease: DocumentLease, fault: IngestFault): Promise<void> {
  const { attempts, next, source, revision, shown, content } = lease.record;
  const now = app.clock.now();
  const after = afterFailure(fault, attempts);
  const isBegun = next !== null && shown.includes(next.revision);
  const error = { code: fault.code, message: fault.message };
  if (next === null) {
    const isCheck = source.kind === 'url' && source.next_check_at !== null && source.next_check_at.getTime() <= now;
    const missed = isCheck ? { source: unchecked(source, fault, now) } : {};
    const until = isCheck ? (missed.source?.next_check_at ?? null) : new Date(now + PAUSE_MS);
    await lease.end({ ...missed, attempts: 0 }, until);
  } else if (after.kind === 'again' || isBegun) {
    const pause = after.kind === 'again' ? after.afterMs : PAUSE_MS;
    await lease.end({ status: 'queued', error }, new Date(now + pause));
    app.metrics.knowledgeDocuments.add(1, 'retried');
  } else {
    const isUrl = source.kind === 'url';
    const progressWritten = isUrl ? unchecked(next.content === null ? source : unknownOf(source), fault, now) : source;
    const over = {
      next: null,
      progress: null,
      attempts: 0,
      leftovers: true,
      source: progressWritten,
      updated_at: new Date(now),
    };
    const outcome =
      revision > 0
        ? { status: 'ready' as const, error: isUrl ? null : error }
        : { status: 'failed' as const, error, content: next.content ?? content };
    await lease.end({ ...over, ...outcome }, new Date(now));
    app.metrics.knowledgeDocuments.add(1, 'failed');
  }
}
