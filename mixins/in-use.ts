import { AppError, errorMessage } from '../lib/errors';
import { isUnanswered } from './start-run';
import type { ActionContext } from './service';
import type { ActionName } from '../contracts/catalogue';
import type { RefKind } from '../contracts/workflows/params';

/** Workflows named in the error message. */
const MAX_NAMED = 10;

/** A resource that is about to be deleted. */
interface Resource {
  readonly kind: RefKind | 'secret';
  /** The ids and names by which workflows may refer to it. */
  readonly refs: readonly string[];
  /** For messages, such as `The connection "Shop"`. */
  readonly what: string;
}

/** A workflow that uses a resource. */
export interface User {
  readonly id: string;
  readonly name: string;
}

/**
 * `hidden`: the number of further workflows, which the caller may not see.
 * @throws AppError conflict with the workflows in the member `workflows`, if there are any
 */
export function assertNoUsers(what: string, users: readonly User[], hidden = 0): void {
  if (users.length + hidden === 0) return;
  const names = users.slice(0, MAX_NAMED).map(({ name }) => name);
  if (hidden > 0) names.push(`${hidden} that you may not see`);
  const more = users.length > MAX_NAMED ? ` and ${users.length - MAX_NAMED} more` : '';
  const count = users.length + hidden === 1 ? 'a workflow' : `${users.length + hidden} workflows`;
  const message = `${what} is used by ${count}: ${names.join(', ')}${more}; force=true deletes it anyway`;
  throw new AppError('conflict', message, { body: { workflows: users.map(({ id, name }) => ({ id, name })) } });
}

/**
 * Refuses the deletion of a resource that workflows use. While the workflows service is unavailable the deletion is
 * allowed, because the deletion of a leaked credential must not wait. @throws AppError conflict
 */
export async function assertUnused(
  { call, tenantId, log, folders }: Pick<ActionContext<ActionName>, 'call' | 'tenantId' | 'log' | 'folders'>,
  { kind, refs, what }: Resource,
): Promise<void> {
  const users = await call('workflows.users', { kind, refs: [...refs] }, { asServiceOf: tenantId }).catch(
    (fault: unknown) => {
      if (!isUnanswered(fault)) throw fault;
      log.warn(`${what} is deleted without a check for workflows that use it: ${errorMessage(fault)}`);
      return { data: [] };
    },
  );
  const visible = await folders.only(users.data, ({ id }) => id);
  assertNoUsers(what, visible, users.data.length - visible.length);
}
