import { AppError, errorMessage } from '../lib/errors';
import { isUnanswered } from './start-run';
import type { Call } from '../contracts/catalogue';
import type { RefKind } from '../contracts/workflows/params';

/** Names of workflows in a message. */
const MAX_NAMED = 10;

/** What is about to be deleted. */
interface Deleted {
  readonly kind: RefKind | 'secret';
  /** What workflows may call it. */
  readonly refs: readonly string[];
  /** For the message, such as `The connection "Shop"`. */
  readonly what: string;
}

/** A workflow that uses something. */
export interface User {
  readonly id: string;
  readonly name: string;
}

/** @throws AppError conflict with the workflows, in the member `workflows` of the answer, where there are some */
export function assertNoUsers(what: string, users: readonly User[]): void {
  if (users.length === 0) return;
  const names = users.slice(0, MAX_NAMED).map(({ name }) => name);
  const more = users.length > MAX_NAMED ? ` and ${users.length - MAX_NAMED} more` : '';
  const count = users.length === 1 ? 'a workflow' : `${users.length} workflows`;
  throw new AppError(
    'conflict',
    `${what} is used by ${count}: ${names.join(', ')}${more}; force=true deletes it anyway`,
    {
      body: { workflows: users.map(({ id, name }) => ({ id, name })) },
    },
  );
}

interface Asking {
  readonly call: Call;
  readonly tenantId: string;
  readonly log: { warn(message: string): void };
}

/**
 * Keeps what workflows use from being deleted by mistake. While the workflows cannot be asked, it is deleted: what has
 * to go at once, such as a leaked credential, does not wait for another service. @throws AppError conflict
 */
export async function assertUnused({ call, tenantId, log }: Asking, { kind, refs, what }: Deleted): Promise<void> {
  const asking = call('workflows.users', { kind, refs: [...refs] }, { asServiceOf: tenantId });
  const users = await asking.catch((fault: unknown) => {
    if (!isUnanswered(fault)) throw fault;
    log.warn(`${what} is deleted without a check for workflows that use it: ${errorMessage(fault)}`);
    return { data: [] };
  });
  assertNoUsers(what, users.data);
}
