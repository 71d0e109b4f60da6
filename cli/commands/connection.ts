import { command } from '../command';
import { textAt } from '../workflows';
import { appNamed } from './oauth-app';

const MAX_CONNECTIONS = 1_000;

/** Lists connections with their states. */
export const list = command({
  name: 'connection list',
  summary: 'Lists the connected accounts and their states',
  async run({ session }) {
    const rows = await session.client.list('/api/v1/oauth/connections', MAX_CONNECTIONS);
    session.answer(rows, () =>
      session.world.out.table(
        ['NAME', 'FOR', 'STATE', 'ACCOUNT', 'EXPIRES', 'ERROR'],
        rows.map((row) =>
          ['name', 'connector', 'state', 'account', 'expires_at', 'last_error'].map((key) => textAt(row, key)),
        ),
      ),
    );
    return 'ok';
  },
});

/** Prints the address at which a person connects an account, and opens it in a browser on a terminal. */
export const connect = command({
  name: 'connection connect',
  summary: 'Connects an account with an OAuth app, in a browser',
  args: [{ name: 'APP' }],
  options: {
    name: { type: 'string', value: 'NAME', help: 'name of the connection; otherwise that of the account' },
    again: { type: 'string', value: 'ID', help: 'connects this connection again, under its id and name' },
    print: { type: 'boolean', help: 'only prints the address' },
  },
  notes: ['The address works once, for ten minutes. The person who opens it connects their account to your workspace.'],
  async run({ args: [app = ''], options, session }) {
    const { world, client } = session;
    const { id } = await appNamed(session, app);
    const started = await client.call('POST', `/api/v1/oauth-apps/${encodeURIComponent(id)}/authorize`, {
      ...(options.name === undefined ? {} : { name: options.name }),
      ...(options.again === undefined ? {} : { connection: options.again }),
    });
    const url = textAt(started, 'authorize_url');
    session.answer(started, () => world.out.line(url));
    if (!options.print && !session.json && world.out.isLive) world.browse(url);
    return 'ok';
  },
});
