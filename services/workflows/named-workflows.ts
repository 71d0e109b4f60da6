import { AppError } from '../../lib/errors';
import { NO_LIMITS } from '../../lib/json/limits';
import { parseJsonSliced } from '../../lib/json/parse-sliced';
import type { ActionContext } from '../../mixins/service';
import { workflowsNamedIn } from './refs';
import type { WorkflowStore } from './store';

type NamesContext = Pick<ActionContext<'workflows.update'>, 'tenantId' | 'folders'>;

/**
 * Refuses a document of someone from whom workflows are withheld, if it starts or follows a workflow that earlier documents
 * do not: otherwise its runs would do for the author what the author may not do. An unknown name is refused as a withheld one
 * is, so that the answer does not show which names exist. `before`: texts of documents whose names may stay.
 * @throws AppError forbidden
 */
export async function assertNames(
  { tenantId, folders }: NamesContext,
  store: WorkflowStore,
  dsl: unknown,
  before: readonly string[],
): Promise<void> {
  const withheld = new Set(await folders.withheld('run'));
  if (withheld.size === 0) return;
  const named = workflowsNamedIn(dsl);
  if (named.size === 0) return;
  for (const text of before)
    for (const name of workflowsNamedIn(await parseJsonSliced(text, NO_LIMITS))) named.delete(name);
  const asked = [...named];
  const allowed = new Set(
    (await store.named(tenantId, asked)).flatMap(({ id, name }) => (withheld.has(id) ? [] : [id, name])),
  );
  const refused = asked.find((name) => !allowed.has(name));
  if (refused === undefined) return;
  const what = refused === '*' ? 'follows the failures of all workflows' : `names the workflow "${refused}"`;
  throw new AppError(
    'forbidden',
    `The document ${what}: you may name, without expressions, workflows that exist and that you may run`,
  );
}
