import { command } from '../command';
import { askFor } from '../prompt';
import { textAt } from '../workflows';

const MAX_SECRETS = 10_000;
const secretPath = (name: string): string => `/api/v1/secrets/${encodeURIComponent(name)}`;

/** Lists names of secrets; the server never returns values. */
export const list = command({
  name: 'secret list',
  summary: 'Lists the names of the secrets',
  async run({ session }) {
    const rows = await session.client.list('/api/v1/secrets', MAX_SECRETS);
    session.answer(rows, () =>
      session.world.out.table(
        ['NAME', 'UPDATED'],
        rows.map((row) => [textAt(row, 'name'), textAt(row, 'updated_at')]),
      ),
    );
    return 'ok';
  },
});

/** Creates or replaces a secret. */
export const set = command({
  name: 'secret set',
  summary: 'Creates or replaces a secret',
  args: [{ name: 'NAME' }],
  options: { stdin: { type: 'boolean', help: 'reads the value from standard input, without the final line break' } },
  notes: ['The value is prompted for, or read from standard input: other users of the machine can read command lines.'],
  async run({ args: [name = ''], options, session }) {
    const { world, client } = session;
    const value = options.stdin
      ? (await world.readAll()).replace(/\r?\n$/, '')
      : await askFor(world, `Value of ${name}: `, '--stdin', true);
    const secret = await client.call('POST', '/api/v1/secrets', { name, value });
    session.answer(secret, () => world.out.line('Secret ', name, ' is set'));
    return 'ok';
  },
});

/** Deletes secrets. */
export const remove = command({
  name: 'secret delete',
  summary: 'Deletes secrets',
  args: [{ name: 'NAME', many: true }],
  options: { force: { type: 'boolean', help: 'also those that workflows use' } },
  async run({ args, options, session }) {
    for (const name of args) {
      await session.client.call('DELETE', `${secretPath(name)}${options.force ? '?force=true' : ''}`);
      if (!session.json) session.world.out.line('Secret ', name, ' is deleted');
    }
    if (session.json) session.world.out.json(args.map((name) => ({ name, deleted: true })));
    return 'ok';
  },
});
