import { parseDuration } from '../../lib/duration';
import type { JsonObject } from '../../lib/json';
import type { Client } from '../client';
import { command } from '../command';
import { CliError } from '../exits';
import { textAt } from '../workflows';

const MAX_KEYS = 1_000;
const MAX_MEMBERS = 10_000;
const KEY = [{ name: 'ID|NAME' }] as const;

const listOf = (client: Client): Promise<JsonObject[]> => client.list('/api/v1/api-keys', MAX_KEYS);
const pathOf = (id: string): string => `/api/v1/api-keys/${encodeURIComponent(id)}`;

/** The id of a key by its id or name. @throws CliError not_found, refused where several have the name */
async function keyIdOf(client: Client, which: string): Promise<string> {
  const rows = await listOf(client);
  const found = rows.filter(({ id, name }) => id === which || name === which);
  if (found.length > 1) throw new CliError('refused', `several keys are named "${which}": use an id of \`key list\``);
  if (found[0] === undefined) throw new CliError('not_found', `there is no API key "${which}"`);
  return textAt(found[0], 'id');
}

/** @throws CliError not_found */
async function serviceAccountIdOf(client: Client, name: string): Promise<string> {
  const members = await client.list('/api/v1/team/members', MAX_MEMBERS);
  const found = members.find(
    ({ kind, email, id }) => kind === 'service' && (id === name || email === `service:${name}`),
  );
  if (found === undefined) throw new CliError('not_found', `there is no service account "${name}"`);
  return textAt(found, 'id');
}

/** The time after a duration. @throws CliError usage */
function expiryAfter(duration: string): string {
  const ms = parseDuration(duration);
  if (ms === null || ms === 0) throw new CliError('usage', '--expires-in takes a duration, such as 90d');
  return new Date(Date.now() + ms).toISOString();
}

/** Lists API keys. */
export const list = command({
  name: 'key list',
  summary: 'Lists your API keys; for admins all of the workspace',
  async run({ session }) {
    const { client, world } = session;
    const rows = await listOf(client);
    session.answer(rows, () =>
      world.out.table(
        ['NAME', 'KEY', 'SCOPE', 'USER', 'EXPIRES', 'LAST USED', 'ID'],
        rows.map((row) => [
          textAt(row, 'name'),
          `${textAt(row, 'prefix')}…`,
          textAt(row, 'scope'),
          textAt(row, 'user'),
          textAt(row, 'expires_at'),
          textAt(row, 'last_used_at'),
          textAt(row, 'id'),
        ]),
      ),
    );
    return 'ok';
  },
});

/** Creates an API key, and shows its value. */
export const create = command({
  name: 'key create',
  summary: 'Creates an API key; its value is shown once',
  args: [{ name: 'NAME' }],
  options: {
    scope: { type: 'string', value: 'SCOPE', help: 'read, run, edit or admin; run unless given' },
    'expires-in': { type: 'string', value: 'DURATION', help: 'such as 90d; it does not expire unless given' },
    'service-account': { type: 'string', value: 'NAME', help: 'a key of this service account, by an admin' },
  },
  async run({ session, args: [name = ''], options }) {
    const { client, world } = session;
    const { scope = 'run', 'expires-in': lifetime, 'service-account': account } = options;
    const made = await client.call('POST', '/api/v1/api-keys', {
      name,
      scope,
      ...(lifetime === undefined ? {} : { expires_at: expiryAfter(lifetime) }),
      ...(account === undefined ? {} : { service_account_id: await serviceAccountIdOf(client, account) }),
    });
    session.answer(made, () => world.out.line(textAt(made, 'key')));
    return 'ok';
  },
});

/** Gives an API key another value, and shows it. */
export const rotate = command({
  name: 'key rotate',
  summary: 'Gives an API key another value, which is shown once',
  args: KEY,
  options: {
    overlap: {
      type: 'string',
      value: 'DURATION',
      help: 'how long the value of now is still accepted; a day unless given',
    },
    now: { type: 'boolean', help: 'ends the value of now at once' },
  },
  async run({ session, args: [which = ''], options }) {
    const { client, world } = session;
    const ms = options.now ? 0 : parseDuration(options.overlap ?? '1d');
    if (ms === null) throw new CliError('usage', '--overlap takes a duration, such as 2h');
    const path = `${pathOf(await keyIdOf(client, which))}/rotate`;
    const rotated = await client.call('POST', path, { overlap_seconds: Math.ceil(ms / 1_000) });
    session.answer(rotated, () => world.out.line(textAt(rotated, 'key')));
    return 'ok';
  },
});

/** Revokes an API key. */
export const revoke = command({
  name: 'key revoke',
  summary: 'Revokes an API key',
  args: KEY,
  async run({ session, args: [which = ''] }) {
    const { client, world } = session;
    const id = await keyIdOf(client, which);
    await client.call('DELETE', pathOf(id));
    session.answer({ revoked: id }, () => world.out.line(`${which} is revoked`));
    return 'ok';
  },
});
