import { compileSliced } from '../../dsl';
import { AppError } from '../../lib/errors';
import { hashJsonSliced } from '../../lib/json/hash-sliced';
import type { Definition, Names } from './definition';
import type { WorkflowRecord } from './models';

/** `dsl` of a workflow that was never published. It is not valid, and its workflow is disabled: nothing can start it. */
const DOCUMENT = { id: 'unpublished', trigger: { type: 'manual' }, steps: [] };

/** The definition that a workflow has until it is published. */
export async function unpublishedDefinition({ nodeTypes }: Pick<Names, 'nodeTypes'>): Promise<Definition> {
  return {
    dsl: JSON.stringify(DOCUMENT),
    dslHash: await hashJsonSliced(DOCUMENT),
    plan: await compileSliced(DOCUMENT, nodeTypes),
    refs: [],
    customTypes: [],
    warnings: [],
  };
}

/** Whether a workflow has only its draft. Versions count from 1. */
export const isUnpublished = ({ version }: Pick<WorkflowRecord, 'version'>): boolean => version === 0;

/** @throws AppError conflict */
export function assertPublished(record: Pick<WorkflowRecord, 'version' | 'name'>): void {
  if (isUnpublished(record))
    throw new AppError('conflict', `The workflow "${record.name}" was never published; publish its draft first`);
}
