import type { Candidate, Execution, RunStore } from '../port';
import { FIRST_FORMAT, type RunFormats } from '../format';
import { NEVER_MS } from '../port';
import type { Collections } from './collections';
import type { ExecutionDocument } from './documents';

type DueVerbs = Pick<
  RunStore,
  'due' | 'dueBeyond' | 'parkedOf' | 'parkedTenants' | 'claim' | 'park' | 'owned' | 'nextWake'
>;

/** Named, as the index of all that is due would do as well, and would find the runs of all other tenants first. */
const BY_TENANT = 'unowned_by_tenant';

/** Tenants that one search through a backlog looks at. Most of them may have nothing but runs that wait. */
const TENANTS_LOOKED_AT = 32;

/** What is read of a document that waits for a host, see `candidateOf`. */
export type Seen = Pick<ExecutionDocument, '_id' | 'tenant_id' | 'epoch' | 'wake_at' | 'started_at' | 'deadline_at'> &
  Pick<ExecutionDocument, 'parked' | 'cancelling' | 'closes_by'>;

export const SEEN = {
  tenant_id: 1,
  epoch: 1,
  wake_at: 1,
  started_at: 1,
  deadline_at: 1,
  parked: 1,
  cancelling: 1,
  closes_by: 1,
} as const;

/** Which runs nobody has, and who takes them. `read` completes a document by what lies elsewhere. */
export function dueVerbs(
  { executions }: Pick<Collections, 'executions'>,
  read: (document: ExecutionDocument) => Promise<Execution>,
  { reads, writes }: RunFormats,
): DueVerbs {
  // F1: of runs without a format, all of which are read, neither is true.
  const ours = { format: { $not: { $gt: reads } } };
  const waitsForUs = { status: 'running', owner: null, ...ours } as const;
  const dueAt = (now: number) => ({ ...waitsForUs, wake_at: { $lte: new Date(now) } });
  // F2
  const marked = () => (writes > FIRST_FORMAT ? { $max: { format: writes } } : {});

  return {
    async due(now, limit) {
      const found = await executions.find(dueAt(now)).sort({ wake_at: 1 }).limit(limit).project<Seen>(SEEN).toArray();
      return found.map(candidateOf);
    },

    async dueBeyond(tenantId, now, each) {
      const due: Candidate[] = [];
      let last = tenantId;
      // From tenant to tenant by their first runs: whatever a tenant has waiting behind that is never looked at.
      for (let looked = 0; looked < TENANTS_LOOKED_AT; looked++) {
        const [first] = await executions
          .find({ ...waitsForUs, tenant_id: { $gt: last } })
          .sort({ tenant_id: 1, wake_at: 1 })
          .hint(BY_TENANT)
          .limit(1)
          .project<Seen>(SEEN)
          .toArray();
        if (first === undefined) return { due, last: null };
        last = first.tenant_id;
        if ((first.wake_at as Date).getTime() > now) continue;
        const own = { ...dueAt(now), tenant_id: last };
        const found = await executions
          .find(own)
          .sort({ wake_at: 1 })
          .hint(BY_TENANT)
          .limit(each)
          .project<Seen>(SEEN)
          .toArray();
        due.push(...found.map(candidateOf));
      }
      return { due, last };
    },

    async parkedOf(tenantId, limit) {
      const found = await executions
        .find({ parked: true, tenant_id: tenantId, ...ours })
        .sort({ started_at: 1 })
        .limit(limit)
        .project<Seen>(SEEN)
        .toArray();
      return found.map((run) => ({ ...candidateOf(run), since: run.started_at.getTime(), parked: true }));
    },

    async parkedTenants(after, limit) {
      const tenants: string[] = [];
      while (tenants.length < limit) {
        const [next] = await executions
          .find({ parked: true, tenant_id: { $gt: tenants.at(-1) ?? after }, ...ours })
          .sort({ tenant_id: 1, started_at: 1 })
          .limit(1)
          .project<Pick<Seen, 'tenant_id'>>({ tenant_id: 1 })
          .toArray();
        if (next === undefined) break;
        tenants.push(next.tenant_id);
      }
      return tenants;
    },

    async claim(host, picks) {
      const [first, ...others] = picks.map(({ id, epoch }) => ({
        filter: { _id: id, ...waitsForUs, epoch },
        update: { $set: { owner: host, epoch: epoch + 1, wake_at: null, waiting: [], parked: false }, ...marked() },
      }));
      if (first === undefined) return [];
      if (others.length === 0) {
        // Most runs that a message wakes come alone; one question instead of two.
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
      return readable(await Promise.allSettled(mine.map(read)));
    },

    async park(picks, now) {
      if (picks.length === 0) return;
      const waiting = [{ step_id: null, kind: 'slot', name: null, since: new Date(now), until: null }];
      const wakeAt = { $ifNull: ['$closes_by', { $ifNull: ['$deadline_at', new Date(NEVER_MS)] }] };
      const untold = { $or: [{ cancelling: { $ne: true } }, { closes_by: { $ne: null } }] };
      await executions.bulkWrite(
        picks.map(({ id, epoch }) => ({
          updateOne: {
            filter: { _id: id, ...waitsForUs, epoch, ...untold },
            update: [{ $set: { parked: true, wake_at: wakeAt, waiting: { $literal: waiting } } }],
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
      return documents.map(({ _id, epoch, inbox }) => ({ id: _id, epoch, inbox }));
    },

    async nextWake(now) {
      const [next] = await executions
        .find({ ...waitsForUs, wake_at: { $gt: new Date(now) } })
        .sort({ wake_at: 1 })
        .limit(1)
        .project<{ wake_at: Date }>({ wake_at: 1 })
        .toArray();
      return next?.wake_at.getTime() ?? null;
    },
  };
}

/** The run as the choice of those that are taken sees it. */
export const candidateOf = (run: Seen): Candidate => ({
  id: run._id,
  tenantId: run.tenant_id,
  epoch: run.epoch,
  since: (run.wake_at as Date).getTime(),
  deadlineAt: (run.closes_by ?? run.deadline_at)?.getTime() ?? null,
  cancelling: run.cancelling === true && !run.closes_by,
  parked: false,
});

/** Those that could be read. One with a missing payload must not take the others of its batch with it. */
function readable(results: readonly PromiseSettledResult<Execution>[]): Execution[] {
  const executions = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const failed = results.find((result) => result.status === 'rejected');
  if (executions.length === 0 && failed !== undefined) throw failed.reason;
  return executions;
}
