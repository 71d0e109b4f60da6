import type { JsonObject } from '../../lib/json';
import { command } from '../command';
import { textAt, workflowIdOf } from '../workflows';

const MAX_QUEUES = 1_000;

const limitOf = (row: JsonObject): string => {
  if (row.kind === 'connection') return 'quota of a connection';
  if (row.kind === 'debounce') return 'last of a series';
  if (row.kind === 'batch') return `batch of ${textAt(row, 'limit')}`;
  const ms = row.period_ms;
  return typeof ms === 'number' ? `${textAt(row, 'limit')} in ${ms / 1_000} s` : `${textAt(row, 'limit')} at a time`;
};

/** Lists the limits that runs wait for. */
export const listQueues = command({
  name: 'queue list',
  summary: 'Lists limits of workflows and the runs that wait for them, the longest queue first',
  options: {
    workflow: { type: 'string', value: 'ID|NAME', help: 'of one workflow' },
  },
  async run({ options, session }) {
    const { client, world } = session;
    const query = new URLSearchParams(
      options.workflow === undefined ? {} : { workflow_id: await workflowIdOf(client, options.workflow) },
    );
    const rows = await client.list(`/api/v1/queues?${query}`, MAX_QUEUES);
    session.answer(rows, () =>
      world.out.table(
        ['WORKFLOW', 'LIMIT', 'KEY', 'USED', 'WAITING', 'OLDEST', 'NEXT START'],
        rows.map((row) => [
          textAt(row, 'workflow_name'),
          limitOf(row),
          [textAt(row, 'name'), textAt(row, 'key')].filter((text) => text !== '').join(' '),
          textAt(row, 'used'),
          textAt(row, 'waiting'),
          textAt(row, 'oldest'),
          textAt(row, 'next_start'),
        ]),
      ),
    );
    return 'ok';
  },
});
