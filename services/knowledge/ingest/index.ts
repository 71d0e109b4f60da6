import { sha256 } from '../../../lib/crypto';
import { isUnreachable } from '../../../lib/database';
import { ofTenant } from '../../../lib/tenant';
import type { BaseRecord, DocumentRecord } from '../models';
import type { KnowledgeDeps } from '../deps';
import { removeDocument, removeOldRevisions } from '../removal';
import { type Lease, LeaseLost } from '../../../mixins/leased-work/lease';
import { retryDecision, isPoison } from '../../../mixins/leased-work/retry-policy';
import { loadSearchableChunks } from './chunks';
import { IngestError, toIngestError } from './ingest-error';
import { fetchContent } from './fetch-content';
import { afterCheck, afterFailedCheck, withoutValidators } from './url-checks';
import { ingestRevision, storeFetchedContent } from './ingest-revision';
import { taskOf } from './task';
import { putVectors } from './vectors';

type DocumentLease = Lease<DocumentRecord>;

/** Pause after background work has failed permanently. */
const FAILURE_PAUSE_MS = 10 * 60_000;

/** Processes a claimed document: runs its tasks until it is idle. */
export const processDocument =
  (deps: KnowledgeDeps) =>
  async (lease: DocumentLease): Promise<void> => {
    try {
      if (isPoison(lease.record.attempts))
        throw new IngestError(
          'internal',
          'Parsing this document has crashed its process too often; remove it or send another file',
        );
      while (!lease.signal.aborted) await runNextTask(deps, lease);
    } catch (thrown) {
      // While the database is unreachable no failure can be stored: the lease expires, and another claim retries.
      if (lease.signal.aborted || thrown instanceof LeaseLost || isUnreachable(thrown)) throw thrown;
      const fault = toIngestError(thrown);
      if (fault.code === 'internal') deps.warn(`Ingest of document ${lease.record._id} failed`, thrown);
      await recordFailure(deps, lease, fault);
    }
  };

/** Runs the next task. The task `idle` releases the lease. */
async function runNextTask(deps: KnowledgeDeps, lease: DocumentLease): Promise<void> {
  const { models, app } = deps;
  const { tenant_id, base_id } = lease.record;
  const base = await ofTenant(models.bases, tenant_id).findOne({ _id: base_id });
  const task = taskOf(lease.record, base, app.clock.now());
  // Non-null for every task but `remove`.
  const liveBase = base as BaseRecord;
  switch (task.kind) {
    case 'remove':
      return removeDocument(deps, lease, base);
    case 'ingest':
      if (lease.record.next?.content === null) return checkUrl(deps, lease, liveBase);
      return ingestRevision(deps, lease, liveBase);
    case 'check':
      return checkUrl(deps, lease, liveBase);
    case 'clean_up':
      await removeOldRevisions(deps, lease.record);
      await lease.write({ leftovers: false });
      return;
    case 'embed': {
      const { revision, generations } = lease.record;
      const chunks = await loadSearchableChunks(models, lease.record, revision);
      const progress = { signal: lease.signal, onEmbedded: async () => void (await lease.write({ attempts: 0 })) };
      await putVectors(deps, lease.record, { revision, chunks }, task.generation, progress);
      await lease.write({ generations: [...generations, task.generation.number], leftovers: true });
      return;
    }
    case 'idle':
      await lease.release({ attempts: 0 }, task.until);
  }
}

/** Fetches the document's URL. New content becomes the next revision; unchanged content only schedules the next check. */
async function checkUrl(deps: KnowledgeDeps, lease: DocumentLease, base: BaseRecord): Promise<void> {
  const { app, providers } = deps;
  const { source, content, revision, next } = lease.record;
  if (source.kind !== 'url') throw new Error('The document has neither content nor a URL');
  if (next !== null) await lease.write({ status: 'parsing' });
  const now = app.clock.now();
  const fetched = await fetchContent(providers.egress, source, {
    conditional: revision > 0,
    maxBytes: app.config.uploadLimit,
    now,
    signal: lease.signal,
  });
  const isNew = fetched.kind === 'content' && (revision === 0 || sha256(fetched.body) !== content?.hash);
  if (isNew) return storeFetchedContent(deps, lease, fetched, base.chunking);
  const same = { status: 'ready' as const, next: null, progress: null, error: null, attempts: 0 };
  await lease.write({ ...same, source: afterCheck(source, new Date(now)) });
}

/** Stores the error and schedules a retry, or gives up. The searchable revision stays. */
async function recordFailure({ app }: KnowledgeDeps, lease: DocumentLease, fault: IngestError): Promise<void> {
  const { attempts, next, source, revision, shown, content } = lease.record;
  const now = app.clock.now();
  const after = retryDecision(fault, attempts);
  const isPartlyVisible = next !== null && shown.includes(next.revision);
  const error = { code: fault.code, message: fault.message };
  if (next === null) {
    const isCheck = source.kind === 'url' && source.next_check_at !== null && source.next_check_at.getTime() <= now;
    const failedCheck = isCheck ? { source: afterFailedCheck(source, fault, now) } : {};
    const until = isCheck ? (failedCheck.source?.next_check_at ?? null) : new Date(now + FAILURE_PAUSE_MS);
    await lease.release({ ...failedCheck, attempts: 0 }, until);
  } else if (after.kind === 'retry' || isPartlyVisible) {
    const pause = after.kind === 'retry' ? after.afterMs : FAILURE_PAUSE_MS;
    await lease.release({ status: 'queued', error }, new Date(now + pause));
    app.metrics.knowledgeDocuments.add(1, 'retried');
  } else {
    const isUrl = source.kind === 'url';
    const nextSource = isUrl
      ? afterFailedCheck(next.content === null ? source : withoutValidators(source), fault, now)
      : source;
    const abandoned = {
      next: null,
      progress: null,
      attempts: 0,
      leftovers: true,
      source: nextSource,
      updated_at: new Date(now),
    };
    const outcome =
      revision > 0
        ? { status: 'ready' as const, error: isUrl ? null : error }
        : { status: 'failed' as const, error, content: next.content ?? content };
    await lease.release({ ...abandoned, ...outcome }, new Date(now));
    app.metrics.knowledgeDocuments.add(1, 'failed');
  }
}
