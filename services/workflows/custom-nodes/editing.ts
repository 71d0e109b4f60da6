import { AppError } from '../../../lib/errors';
import { isObject, type JsonObject } from '../../../lib/json';
import { auditedBy, type AuditLog, recordedBy } from '../../../mixins/audit';
import type { ActionContext } from '../../../mixins/service';
import { type CustomNodeDefinition, readDefinition } from '../../../nodes/custom';
import type { CustomNodeView } from '../contract';
import type { CustomNodeRecord } from './model';
import { type CustomNodeStore, toCustomNode } from './store';

/** Workflows of a tenant that use a type, by name. */
export type UsersOf = (tenantId: string, type: string) => Promise<{ _id: string; name: string }[]>;

const NAMED = 10;

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
    const users = params.force === true ? [] : await usersOf(tenantId, record.type);
    if (users.length > 0) throw inUse(record.type, users);
    const purgeTests = (): Promise<void> => purge(tenantId, record._id);
    await store.remove(tenantId, record, purgeTests, recordedBy(audit, auditedBy(ctx)));
  },
});

function merged(found: CustomNodeDefinition, given: JsonObject): CustomNodeDefinition {
  const definition = read({ ...(found as unknown as JsonObject), ...given });
  if (definition.type === found.type) return definition;
  const message = `The type stays what it is: ${found.type}`;
  throw new AppError('invalid_request', message, { details: [{ path: 'name', message }] });
}

function read(body: unknown): CustomNodeDefinition {
  const found = readDefinition(isObject(body) ? (body as JsonObject) : {});
  if (found.kind === 'definition') return found.definition;
  const [first] = found.faults;
  const more = found.faults.length > 1 ? ` (and ${found.faults.length - 1} more)` : '';
  throw new AppError('invalid_request', `The definition is not valid: ${first?.path} ${first?.message}${more}`, {
    details: [...found.faults],
  });
}

function inUse(type: string, users: readonly { _id: string; name: string }[]): AppError {
  const names = users.slice(0, NAMED).map(({ name }) => name);
  const more = users.length > NAMED ? ` and ${users.length - NAMED} more` : '';
  const count = users.length === 1 ? 'a workflow' : `${users.length} workflows`;
  return new AppError(
    'conflict',
    `${type} is used by ${count}: ${names.join(', ')}${more}; force=true deletes it all the same`,
    {
      body: { workflows: users.map(({ _id, name }) => ({ id: _id, name })) },
    },
  );
}

/** The record as its tenant sees it. */
export const toCustomView = (record: CustomNodeRecord): CustomNodeView => ({
  id: record._id,
  tenant_id: record.tenant_id,
  ...toCustomNode(record),
  created_by: record.created_by,
  created_at: record.created_at.toISOString(),
  updated_at: record.updated_at.toISOString(),
});
