import { command } from '../command';
import { CliError } from '../exits';
import { jsonOption } from '../json-option';
import { askFor } from '../prompt';
import type { Session } from '../session';
import { textAt } from '../workflows';

const MAX_APPS = 1_000;
const APPS = '/api/v1/oauth-apps';

/** Lists OAuth apps with the redirect address that providers have to know. */
export const list = command({
  name: 'oauth-app list',
  summary: 'Lists the OAuth apps with which accounts are connected',
  async run({ session }) {
    const rows = await session.client.list(APPS, MAX_APPS);
    session.answer(rows, () => {
      session.world.out.table(
        ['NAME', 'ID', 'FOR', 'SOURCE', 'SECRET'],
        rows.map((row) => [
          textAt(row, 'name'),
          textAt(row, 'id'),
          textAt(row, 'connector'),
          textAt(row, 'source'),
          row.client_secret_set === true ? 'set' : 'none',
        ]),
      );
    });
    return 'ok';
  },
});

/** Lists the presets of providers. */
export const presets = command({
  name: 'oauth-app presets',
  summary: 'Lists the providers whose endpoints are known',
  async run({ session }) {
    const rows = await session.client.list('/api/v1/oauth-presets', MAX_APPS);
    session.answer(rows, () =>
      session.world.out.table(
        ['PRESET', 'PROVIDER', 'DOCS'],
        rows.map((row) => [textAt(row, 'id'), textAt(row, 'title'), textAt(row, 'docs')]),
      ),
    );
    return 'ok';
  },
});

/** Registers an OAuth app of a preset, or of the provider that a file describes. */
export const create = command({
  name: 'oauth-app create',
  summary: 'Registers an OAuth app of a preset, or of any provider',
  args: [{ name: 'NAME' }],
  options: {
    preset: { type: 'string', value: 'PRESET', help: 'the provider, as listed by oauth-app presets' },
    custom: { type: 'string', value: 'JSON', help: 'another provider: an object with authorize_url and token_url,' },
    'client-id': { type: 'string', value: 'ID', help: 'client id that the provider issued' },
    variables: { type: 'string', value: 'JSON', help: 'variables of the preset, such as {"shop": "acme"},' },
    scopes: { type: 'string', value: 'SCOPES', help: 'scopes, separated by spaces, instead of those of the preset' },
    hosts: { type: 'string', value: 'HOSTS', help: 'hosts that tokens may be sent to, separated by commas' },
    public: { type: 'boolean', help: 'a client without a secret' },
    stdin: { type: 'boolean', help: 'reads the client secret from standard input' },
  },
  notes: [
    'The secret is prompted for, or read from standard input: other users of the machine can read command lines.',
  ],
  async run({ args: [name = ''], options, session }) {
    const { world, client } = session;
    const { preset, custom, scopes, hosts, variables } = options;
    const client_id = options['client-id'];
    if (client_id === undefined) throw new CliError('usage', 'set --client-id');
    const client_secret = options.public
      ? undefined
      : options.stdin
        ? (await world.readAll()).replace(/\r?\n$/, '')
        : await askFor(world, 'Client secret: ', '--stdin or --public', true);
    const app = await client.call('POST', APPS, {
      name,
      client_id,
      ...(client_secret === undefined ? {} : { client_secret }),
      ...(preset === undefined ? {} : { preset }),
      ...(custom === undefined ? {} : { custom: jsonOption('--custom', custom) }),
      ...(variables === undefined ? {} : { variables: jsonOption('--variables', variables) }),
      ...(scopes === undefined ? {} : { scopes: scopes.split(/[ ,]+/).filter(Boolean) }),
      ...(hosts === undefined ? {} : { hosts: hosts.split(/[ ,]+/).filter(Boolean) }),
    });
    session.answer(app, () => {
      world.out.line('OAuth app ', textAt(app, 'name'), ' is registered. Its redirect address at the provider:');
      world.out.line(textAt(app, 'redirect_uri'));
    });
    return 'ok';
  },
});

/** Deletes OAuth apps that have no connections. */
export const remove = command({
  name: 'oauth-app delete',
  summary: 'Deletes OAuth apps that have no connections',
  args: [{ name: 'APP', many: true }],
  async run({ args, session }) {
    for (const app of args) {
      const { id } = await appNamed(session, app);
      await session.client.call('DELETE', `${APPS}/${encodeURIComponent(id)}`);
      if (!session.json) session.world.out.line('OAuth app ', app, ' is deleted');
    }
    if (session.json) session.world.out.json(args.map((app) => ({ app, deleted: true })));
    return 'ok';
  },
});

/** Finds an app by id or name. @throws CliError */
export async function appNamed({ client }: Session, ref: string): Promise<{ id: string }> {
  const rows = await client.list(APPS, MAX_APPS);
  const found = rows.find((row) => row.id === ref) ?? rows.find((row) => row.name === ref);
  if (found === undefined)
    throw new CliError('not_found', `there is no OAuth app "${ref}"; everstep oauth-app list shows all`);
  return { id: textAt(found, 'id') };
}
