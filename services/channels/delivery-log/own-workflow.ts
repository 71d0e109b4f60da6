import { AppError } from '../../../lib/errors';
import { isUuid } from '../../../lib/ids';
import type { ActionContext } from '../../../mixins/service';
import type { StartSnapshot } from '../../../contracts/workflows/views';

type WorkflowContext = Pick<ActionContext<'channels.deliveries'>, 'call' | 'tenantId'>;

/** A workflow of the caller's tenant by id, not by name. @throws AppError not_found */
export async function ownWorkflow({ call, tenantId }: WorkflowContext, id: string): Promise<StartSnapshot> {
  const workflow = isUuid(id)
    ? await call('workflows.startable_for', { workflow: id }, { asServiceOf: tenantId })
    : null;
  if (workflow?.id === id) return workflow;
  throw new AppError('not_found', `There is no workflow ${id}`);
}
