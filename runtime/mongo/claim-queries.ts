import type { Candidate, Execution } from '../core/model';
import type { RunStore } from '../ports/run-store';
import { FIRST_FORMAT, type RunFormats } from '../core/format';
import { NEVER_MS } from '../core/model';
import type { Collections } from './collections';
import type { ExecutionDocument } from './documents';
import { UNOWNED_BY_TENANT } from './indexes';

type ClaimQueries = Pick<
  RunStore,
  'due' | 'dueByTenant' | 'parkedOf' | 'parkedTenants' | 'claim' | 'resetClaims' | 'park' | 'owned' | 'nextWake'
>;

/** Tenants that one search through a backlog visits. Most of them may only have waiting runs. */
const MAX_TENANTS_PER_SEARCH = 32;

/** Fields of a candidate's document, see `candidateOf`. */
export type CandidateDocument = Pick<
  ExecutionDocument,
  '_id' | 'tenant_id' | 'epoch' | 'wake_at' | 'started_at' | 'deadline_at'
> &
  Pick<ExecutionDocument, 'parked' | 'cancelling' | 'closes_by' | 'claims' | 'rank'>;

export const CANDIDATE_FIELDS = {
  tenant_id: 1,
  epoch: 1,
  wake_at: 1,
  started_at: 1,
  deadline_at: 1,
  parked: 1,
  cancelling: 1,
  closes_by: 1,
  claims: 1,
  rank: 1,
} as const;

/** Queries for unowned runs, and their claims. `read` completes a document with its payloads. */
export function claimQueries(
  { executions }: Pick<Collections, 'executions'>,
  read: (document: ExecutionDocument) => Promise<Execution>,
  { reads, writes }: RunFormats,
): ClaimQueries {
  // F1: runs without a format, which are always readable, match as well.
  const readable = { format: { $not: { $gt: reads } } };
  const unowned = { status: 'running', owner: null, ...readable } as const;
  const dueAt = (now: number) => ({ ...unowned, wake_at: { $lte: new Date(now) } });
  // F2
  const formatUpdate = () => (writes > FIRST_FORMAT ? { $max: { format: writes } } : {});

  return {
    async due(now, limit) {
      const found = await executions
        .find(dueAt(now))
        .sort({ wake_at: 1 })
        .limit(limit)
        .project<CandidateDocument>(CANDIDATE_FIELDS)
        .toArray();
      return found.map(candidateOf);
    },

    async dueByTenant(tenantId, now, each) {
      const due: Candidate[] = [];
      let last = tenantId;
      // From tenant to tenant by their first runs: the rest of a tenant's waiting runs is not scanned.
      for (let tenants = 0; tenants < MAX_TENANTS_PER_SEARCH; tenants++) {
        const [first] = await executions
          .find({ ...unowned, tenant_id: { $gt: last } })
          .sort({ tenant_id: 1, wake_at: 1 })
          .hint(UNOWNED_BY_TENANT)
          .limit(1)
          .project<CandidateDocument>(CANDIDATE_FIELDS)
          .toArray();
        if (first === undefined) return { due, last: null };
        last = first.tenant_id;
        if ((first.wake_at as Date).getTime() > now) continue;
        const own = { ...dueAt(now), tenant_id: last };
        const found = await executions
          .find(own)
          .sort({ wake_at: 1 })
          .hint(UNOWNED_BY_TENANT)
          .limit(each)
          .project<CandidateDocument>(CANDIDATE_FIELDS)
          .toArray();
        due.push(...found.map(candidateOf));
      }
      return { due, last };
    },

    async parkedOf(tenantId, limit) {
      const found = await executions
        .find({ parked: true, tenant_id: tenantId, ...readable })
        .sort({ rank: 1, started_at: 1 })
        .limit(limit)
        .project<CandidateDocument>(CANDIDATE_FIELDS)
        .toArray();
      return found.map((run) => ({ ...candidateOf(run), since: run.started_at.getTime(), parked: true }));
    },

    async parkedTenants(after, limit) {
      const tenants: string[] = [];
      while (tenants.length < limit) {
        const [next] = await executions
          .find({ parked: true, tenant_id: { $gt: tenants.at(-1) ?? after }, ...readable })
          .sort({ tenant_id: 1, rank: 1, started_at: 1 })
          .limit(1)
          .project<Pick<CandidateDocument, 'tenant_id'>>({ tenant_id: 1 })
          .toArray();
        if (next === undefined) break;
        tenants.push(next.tenant_id);
      }
      return tenants;
    },

    async claim(host, picks) {
      // Filtered by tenant as well: a hint about a due run may be wrong, and slots belong to a tenant.
      const [first, ...others] = picks.map(({ id, tenantId, epoch }) => ({
        filter: { _id: id, tenant_id: tenantId, ...unowned, epoch },
        update: {
          $set: { owner: host, epoch: epoch + 1, wake_at: null, waiting: [], parked: false },
          $inc: { claims: 1 },
          ...formatUpdate(),
        },
      }));
      if (first === undefined) return [];
      if (others.length === 0) {
        // Most runs that a message wakes come alone: one request instead of two.
        const claimed = await executions.findOneAndUpdate(first.filter, first.update, { returnDocument: 'after' });
        return claimed === null ? [] : [await read(claimed)];
      }
      await executions.bulkWrite(
        [first, ...others].map((updateOne) => ({ updateOne })),
        { ordered: false },
      );
      const wanted = new Map(picks.map(({ id, epoch }) => [id, epoch + 1]));
      const found = await executions.find({ _id: { $in: [...wanted.keys()] }, owner: host }).toArray();
      const byId = new Map(found.map((document) => [document._id, document]));
      const mine = [...wanted].flatMap(([id, epoch]) => {
        const document = byId.get(id);
        return document?.epoch === epoch ? [document] : [];
      });
      return fulfilled(await Promise.allSettled(mine.map(read)));
    },

    async resetClaims(claims) {
      await executions.bulkWrite(
        claims.map(({ id, host, epoch }) => ({
          updateOne: { filter: { _id: id, status: 'running', owner: host, epoch }, update: { $set: { claims: 0 } } },
        })),
        { ordered: false },
      );
    },

    async park(picks, now) {
      if (picks.length === 0) return;
      const waiting = [{ step_id: null, kind: 'slot', name: null, since: new Date(now), until: null }];
      const wakeAt = { $ifNull: ['$closes_by', { $ifNull: ['$deadline_at', new Date(NEVER_MS)] }] };
      const rank = { $ifNull: ['$rank', '$started_at'] };
      const notCancelling = { $or: [{ cancelling: { $ne: true } }, { closes_by: { $ne: null } }] };
      await executions.bulkWrite(
        picks.map(({ id, tenantId, epoch }) => ({
          updateOne: {
            filter: { _id: id, tenant_id: tenantId, ...unowned, epoch, ...notCancelling },
            update: [{ $set: { parked: true, wake_at: wakeAt, rank, waiting: { $literal: waiting } } }],
          },
        })),
        { ordered: false },
      );
    },

    async owned(host) {
      const documents = await executions
        .find({ status: 'running', owner: host })
        .project<Pick<ExecutionDocument, '_id' | 'epoch' | 'inbox'>>({ epoch: 1, inbox: 1 })
        .toArray();
      return documents.map(({ _id, epoch, inbox }) => ({ id: _id, epoch, messageSeq: inbox }));
    },

    async nextWake(now) {
      const [next] = await executions
        .find({ ...unowned, wake_at: { $gt: new Date(now) } })
        .sort({ wake_at: 1 })
        .limit(1)
        .project<{ wake_at: Date }>({ wake_at: 1 })
        .toArray();
      return next?.wake_at.getTime() ?? null;
    },
  };
}

/** The candidate of a document. */
export const candidateOf = (run: CandidateDocument): Candidate => ({
  id: run._id,
  tenantId: run.tenant_id,
  epoch: run.epoch,
  since: (run.wake_at as Date).getTime(),
  deadlineAt: (run.closes_by ?? run.deadline_at)?.getTime() ?? null,
  cancelling: run.cancelling === true && !run.closes_by,
  parked: false,
  claims: run.claims ?? 0,
  ...(run.rank === undefined || run.rank.getTime() === run.started_at.getTime()
    ? {}
    : { headStartMs: run.started_at.getTime() - run.rank.getTime() }),
});

/** The executions that could be read. One with a missing payload must not fail the others of its batch. */
function fulfilled(results: readonly PromiseSettledResult<Execution>[]): Execution[] {
  const executions = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const failed = results.find((result) => result.status === 'rejected');
  if (executions.length === 0 && failed !== undefined) throw failed.reason;
  return executions;
}
