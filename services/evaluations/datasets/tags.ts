import { ofTenant } from '../../../lib/tenant';
import type { DatasetTags } from '../../../contracts/evaluations/views';
import type { EvaluationModels, RowRecord } from '../models';
import { type Revision, rowsOf } from './visible';

const BATCH = 500;
const FIELDS = ['n', 'tags'] as const;
const MAX_TAGS = 200;

/** The tags of a revision with the number of their rows, the most frequent ones first; at most 200. */
export async function tagsOf(
  models: Pick<EvaluationModels, 'rows'>,
  tenantId: string,
  revision: Revision,
): Promise<DatasetTags['tags']> {
  const own = ofTenant(models.rows, tenantId);
  const counts = new Map<string, number>();
  for (let after = 0; ; ) {
    const filter = { ...rowsOf(revision), n: { $gt: after } };
    const rows = await own.find(filter, { sort: { n: 1 }, limit: BATCH, fields: FIELDS });
    for (const { tags } of rows) for (const tag of new Set(tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
    if (rows.length < BATCH) break;
    after = (rows.at(-1) as RowRecord).n;
  }
  const found = [...counts].map(([tag, rows]) => ({ tag, rows }));
  return found.sort((a, b) => b.rows - a.rows || (a.tag < b.tag ? -1 : 1)).slice(0, MAX_TAGS);
}
