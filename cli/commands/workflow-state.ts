import type { JsonObject } from '../../lib/json';
import { type Command, command } from '../command';
import { CliError } from '../exits';
import { askFor } from '../prompt';
import { textAt, workflowIdOf, workflowPath } from '../workflows';

const WORKFLOWS = [{ name: 'ID|NAME', many: true }] as const;

const switching = (verb: 'enable' | 'disable', summary: string): Command =>
  command({
    name: `workflow ${verb}`,
    summary,
    args: WORKFLOWS,
    async run({ args, session }) {
      const done: JsonObject[] = [];
      for (const each of args) {
        const id = await workflowIdOf(session.client, each);
        const workflow = await session.client.call('PUT', `${workflowPath(id)}/${verb}`, {});
        done.push({ id, name: workflow.name ?? null, enabled: workflow.enabled ?? null });
        if (!session.json) session.world.out.line(textAt(workflow, 'name'), ` is ${verb}d`);
      }
      if (session.json) session.world.out.json(done);
      return 'ok';
    },
  });

export const enable = switching('enable', 'Enables workflows');
export const disable = switching('disable', 'Disables workflows, so that they cannot be started');

/** Deletes workflows with all their data. */
export const remove = command({
  name: 'workflow delete',
  summary: 'Deletes workflows with their runs, versions, keys and chats',
  args: WORKFLOWS,
  options: {
    yes: { type: 'boolean', help: 'without asking' },
    force: { type: 'boolean', help: 'also if other workflows start them' },
  },
  async run({ args, options, session }) {
    const { client, world } = session;
    const ids = await Promise.all(args.map((each) => workflowIdOf(client, each)));
    if (!options.yes) {
      const answer = await askFor(world, `Delete ${args.join(', ')} with all runs? Type yes: `, '--yes');
      if (answer !== 'yes') throw new CliError('refused', 'nothing was deleted');
    }
    for (const [index, id] of ids.entries()) {
      await client.call('DELETE', `${workflowPath(id)}${options.force ? '?force=true' : ''}`);
      if (!session.json) world.out.line(args[index] ?? id, ' is deleted');
    }
    if (session.json) world.out.json(ids.map((id) => ({ id, deleted: true })));
    return 'ok';
  },
});
