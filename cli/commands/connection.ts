import { parseDuration } from '../../lib/duration';
import { isObject, type JsonObject } from '../../lib/json';
import { command } from '../command';
import { CliError } from '../exits';
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

/** Shows or replaces the limits of a connection. */
export const limits = command({
  name: 'connection limits',
  summary: 'Shows the limits of a connection, or replaces them',
  args: [{ name: 'NAME' }],
  options: {
    rate: { type: 'string', value: 'N/TIME', help: 'so many steps begin in any such time, as 100/1m' },
    concurrency: { type: 'string', value: 'N', help: 'so many steps use it at one time' },
    none: { type: 'boolean', help: 'removes all limits' },
  },
  notes: ['A limit that is left out is removed. Steps that exceed a limit wait for their turn.'],
  async run({ args: [ref = ''], options: { rate, concurrency, none }, session }) {
    const { client, world } = session;
    const rows = await client.list('/api/v1/oauth/connections', MAX_CONNECTIONS);
    const found = rows.find((row) => row.id === ref) ?? rows.find((row) => row.name === ref);
    if (found === undefined)
      throw new CliError('not_found', `there is no connection "${ref}"; everstep connection list shows all`);
    const isChange = rate !== undefined || concurrency !== undefined;
    if (isChange && none) throw new CliError('usage', '--none removes all limits; leave out the others');
    const body = {
      rate: rate === undefined ? null : rateOf(rate),
      concurrency: concurrency === undefined ? null : countOf(concurrency),
    };
    const path = `/api/v1/connections/${encodeURIComponent(textAt(found, 'id'))}/limits`;
    const connection = isChange || none ? await client.call('PUT', path, body) : found;
    session.answer(connection, () => world.out.line(limitsText(connection.limits)));
    return 'ok';
  },
});

/** @throws CliError usage: what is no number would remove the limit */
function countOf(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new CliError('usage', `--concurrency is a number, and not ${text}`);
}

/** @throws CliError usage */
function rateOf(text: string): JsonObject {
  const [, limit, time] = /^(\d+)\/(.+)$/.exec(text) ?? [];
  const ms = parseDuration(time);
  if (ms === null || ms % 1_000 !== 0)
    throw new CliError('usage', `--rate is a number and a time of whole seconds, as 100/1m, and not ${text}`);
  return { limit: Number(limit), period_seconds: ms / 1_000 };
}

function limitsText(of: unknown): string {
  const { rate, concurrency } = isObject(of) ? of : {};
  const parts = [
    ...(typeof concurrency === 'number' ? [`${concurrency} at a time`] : []),
    ...(isObject(rate)
      ? [`${textAt(rate as JsonObject, 'limit')} in ${textAt(rate as JsonObject, 'period_seconds')} s`]
      : []),
  ];
  return parts.length === 0 ? 'no limits' : parts.join(', ');
}
