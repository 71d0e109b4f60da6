import type { Collection, Document } from 'mongodb';
import type { FolderCheck, FolderGuard } from '../../contracts/folder-guards';
import { AppError } from '../../lib/errors';
import type { App } from '../../services/app';
import type { CallerFolders } from './caller-folders';

interface OfWorkflow extends Document {
  _id: string;
  tenant_id: string;
  workflow_id?: string;
  /** Of an alert: JSON text of an `AlertScope`. */
  scope?: string;
}

const NOUNS: Readonly<Record<FolderCheck['of'], string>> = {
  workflow: 'workflow',
  run: 'execution',
  evaluation: 'evaluation',
  alert: 'alert',
};

const COLLECTIONS: Readonly<Record<Exclude<FolderCheck['of'], 'workflow'>, string>> = {
  run: 'executions',
  evaluation: 'evaluations',
  alert: 'alert_rules',
};

/** Carries out the checks of a guard. @throws AppError not_found as for an unknown id, forbidden */
export async function assertGuard(
  app: Pick<App, 'db'>,
  guard: FolderGuard | undefined,
  tenantId: string,
  folders: CallerFolders,
  params: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (guard === undefined || typeof guard === 'string' || !(await folders.areLimited())) return;
  for (const check of guard) {
    const id = params[check.param];
    if (typeof id !== 'string') continue;
    const missing = () => new AppError('not_found', check.missing ?? `There is no ${NOUNS[check.of]} ${id}`);
    for (const workflowId of await workflowsOf(app, check.of, tenantId, id))
      await folders.assertWorkflow(workflowId, check.right, missing);
  }
}

/** The workflows of what has the id; none for an unknown one, which the handler refuses. */
async function workflowsOf(
  { db }: Pick<App, 'db'>,
  of: FolderCheck['of'],
  tenantId: string,
  id: string,
): Promise<readonly string[]> {
  if (of === 'workflow') return [id];
  const records = db.collection(COLLECTIONS[of]) as unknown as Collection<OfWorkflow>;
  const filter = { _id: id, tenant_id: tenantId };
  const found = await records.findOne(filter, { projection: { workflow_id: 1, scope: 1 } });
  if (found?.scope !== undefined) return (JSON.parse(found.scope) as { workflow_ids?: string[] }).workflow_ids ?? [];
  return found?.workflow_id === undefined ? [] : [found.workflow_id];
}
