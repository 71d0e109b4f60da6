import type { IndexSpace } from '../contract';
import type { RowsKind } from '../engine/calls';

/** One index: of one base of one tenant, of words or vectors, of one generation. */
export interface Space extends IndexSpace {
  /** Id of its manifest. */
  readonly key: string;
  readonly generation: number;
  readonly rows: RowsKind;
}

export function spaceOf({ tenantId, baseId }: IndexSpace, rows: RowsKind, generation: number): Space {
  // An undefined tenant would be dropped from filters by the driver, and match everyone's.
  for (const id of [tenantId, baseId])
    if (typeof id !== 'string' || id === '' || id.includes('/'))
      throw new TypeError('An index is of a tenant and a base');
  return { tenantId, baseId, generation, rows, key: `${tenantId}/${baseId}/${rows.kind}/${generation}` };
}
