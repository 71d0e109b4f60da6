import { command } from '../command';
import { CliError } from '../exits';
import { objectsAt, textAt } from '../workflows';

const MAX_DAYS = 90;

/** Prints what usage consists of. */
export const showUsage = command({
  name: 'usage',
  summary: 'Shows runs, tokens and costs by workflow and by model',
  options: {
    days: { type: 'string', value: 'N', help: 'of the last N days, at most 90 (30)' },
  },
  async run({ options, session }) {
    const { client, world } = session;
    const days = Number(options.days ?? '30');
    if (!Number.isInteger(days) || days < 1 || days > MAX_DAYS)
      throw new CliError('usage', `--days must be a whole number from 1 to ${MAX_DAYS}`);
    const usage = await client.call('GET', `/api/v1/usage/breakdown?days=${days}`);
    session.answer(usage, () => {
      world.out.table(
        ['WORKFLOW', 'RUNS', 'FAILED', 'STEPS', 'TOKENS', 'COST USD'],
        objectsAt(usage, 'workflows').map((row) => [
          textAt(row, 'workflow_name'),
          textAt(row, 'runs'),
          textAt(row, 'failed'),
          textAt(row, 'steps'),
          textAt(row, 'tokens'),
          textAt(row, 'cost_usd'),
        ]),
      );
      world.out.line('');
      world.out.table(
        ['PROVIDER', 'MODEL', 'CALLS', 'INPUT TOKENS', 'OUTPUT TOKENS', 'COST USD'],
        objectsAt(usage, 'models').map((row) => [
          textAt(row, 'provider'),
          // Models without a known price are counted together.
          textAt(row, 'model') || 'other',
          textAt(row, 'calls'),
          textAt(row, 'input_tokens'),
          textAt(row, 'output_tokens'),
          textAt(row, 'cost_usd'),
        ]),
      );
    });
    return 'ok';
  },
});
