import type { Model } from 'mongoose';
import { isDuplicateKey } from '../../../lib/duplicate-key';
import { AppError } from '../../../lib/errors';
import type { Page } from '../../../lib/page';
import { ofTenant } from '../../../lib/tenant';
import type { WorkflowRecord } from '../models';
import type { VersionRecord } from './model';

/** The newest of a workflow are kept. */
const KEPT = 500;
const ROW_FIELDS = ['version', 'message', 'dsl_hash', 'created_by', 'author', 'created_at'] as const;

/** Versions of workflows: written once, never changed. */
export class VersionStore {
  constructor(private readonly model: Model<VersionRecord>) {}

  /** The DSL of a workflow under the next number; those over the limit are removed, the oldest first. */
  async save(
    workflow: Pick<WorkflowRecord, '_id' | 'tenant_id' | 'dsl' | 'dsl_hash'>,
    saved: Pick<VersionRecord, 'message' | 'created_by' | 'author' | 'created_at'>,
  ): Promise<VersionRecord> {
    const { _id: workflow_id, tenant_id, dsl, dsl_hash } = workflow;
    const versions = ofTenant(this.model, tenant_id);
    for (;;) {
      const [last] = await this.list(tenant_id, workflow_id, { limit: 1, offset: 0 });
      const version = (last?.version ?? 0) + 1;
      try {
        const record = { _id: idOf(workflow_id, version), workflow_id, version, dsl, dsl_hash, ...saved };
        const written = await versions.insert(record);
        await versions.remove({ workflow_id, version: { $lte: version - KEPT } });
        return written;
      } catch (error) {
        // Another request saves at the same time: both get a number.
        if (!isDuplicateKey(error)) throw error;
      }
    }
  }

  /** Newest first, without their DSLs. */
  list(tenantId: string, workflowId: string, page: Page): Promise<VersionRecord[]> {
    return ofTenant(this.model, tenantId).find(
      { workflow_id: workflowId },
      { sort: { version: -1 }, fields: ROW_FIELDS, ...page },
    );
  }

  /** @throws AppError not_found */
  async get(tenantId: string, workflowId: string, version: number): Promise<VersionRecord> {
    const found = await ofTenant(this.model, tenantId).findOne({ _id: idOf(workflowId, version) });
    if (found === null) throw new AppError('not_found', `The workflow has no version ${version}`);
    return found;
  }

  async removeAll(tenantId: string, workflowId: string): Promise<void> {
    await ofTenant(this.model, tenantId).remove({ workflow_id: workflowId });
  }
}

const idOf = (workflowId: string, version: number): string => `${workflowId}:${version}`;
