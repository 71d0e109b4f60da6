import { AppError, summaryOf } from '../../../lib/errors';
import { isObject, type JsonObject } from '../../../lib/json';
import { auditedBy, type AuditLog, recordedBy } from '../../../mixins/audit';
import type { ActionContext } from '../../../mixins/service';
import { type CustomNodeDefinition, readDefinition } from '../../../nodes/custom';
import type { CustomNodeView } from '../../../contracts/workflows/custom-nodes';
import type { CustomNodeRecord } from './model';
import { type CustomNodeStore, toCustomNode } from './store';
import { assertNoUsers, type User } from '../../../mixins/in-use';

/** Workflows of a tenant that use a type, by name. */
type UsersOf = (tenantId: string, type: string) => Promise<User[]>;

/** Creates, changes and removes custom nodes on behalf of a person. */
export const customNodeEditing = (
  audit: AuditLog,
  store: CustomNodeStore,
  usersOf: UsersOf,
  purge: (tenantId: string, id: string) => Promise<void>,
) => ({
  /** @throws AppError invalid_request with every fault, conflict */
  async create(ctx: ActionContext<'workflows.create_custom_node'>): Promise<CustomNodeView> {
    const { params, tenantId, principal } = ctx;
    const [definition, by] = [read(params.definition), principal?.user_id ?? 'service'];
    return toCustomView(await store.create(tenantId, definition, by, recordedBy(audit, auditedBy(ctx))));
  },

  /** Changes the members that are given. @throws AppError not_found, invalid_request with every fault */
  async update(ctx: ActionContext<'workflows.update_custom_node'>): Promise<CustomNodeView> {
    const { params, tenantId } = ctx;
    const decide = (found: CustomNodeDefinition): CustomNodeDefinition => merged(found, params.definition);
    return toCustomView(await store.change(tenantId, params.type, decide, recordedBy(audit, auditedBy(ctx))));
  },

  /** @throws AppError not_found, conflict when workflows use it */
  async remove(ctx: ActionContext<'workflows.remove_custom_node'>): Promise<void> {
    const { params, tenantId } = ctx;
    const record = await store.get(tenantId, params.type);
    if (params.force !== true) assertNoUsers(record.type, await usersOf(tenantId, record.type));
    const purgeTests = (): Promise<void> => purge(tenantId, record._id);
    await store.remove(tenantId, record, purgeTests, recordedBy(audit, auditedBy(ctx)));
  },
});

function merged(found: CustomNodeDefinition, given: JsonObject): CustomNodeDefinition {
  // A node that becomes a tool is polled no more.
  const { poll: _poll, ...unpolled } = found;
  const before = given.kind === 'tool' ? unpolled : found;
  const definition = read({ ...(before as unknown as JsonObject), ...given });
  if (definition.type === found.type) return definition;
  const message = `The type stays what it is: ${found.type}`;
  throw new AppError('invalid_request', message, { details: [{ path: 'name', message }] });
}

function read(body: unknown): CustomNodeDefinition {
  const found = readDefinition(isObject(body) ? (body as JsonObject) : {});
  if (found.kind === 'definition') return found.definition;
  throw new AppError('invalid_request', `The definition is not valid: ${summaryOf(found.faults)}`, {
    details: [...found.faults],
  });
}

/** The record as its tenant sees it. */
export const toCustomView = (record: CustomNodeRecord): CustomNodeView => ({
  id: record._id,
  tenant_id: record.tenant_id,
  ...(toCustomNode(record) as Omit<CustomNodeView, 'id' | 'tenant_id' | 'created_by' | 'created_at' | 'updated_at'>),
  created_by: record.created_by,
  created_at: record.created_at.toISOString(),
  updated_at: record.updated_at.toISOString(),
});
