import type { JsonObject } from '../../lib/json';
import type { Client } from '../client';
import { command } from '../command';
import { CliError } from '../exits';
import { textAt } from '../workflows';

const MAX_MEMBERS = 10_000;
const MEMBER = { name: 'ID|EMAIL' } as const;

const listOf = (client: Client): Promise<JsonObject[]> => client.list('/api/v1/team/members', MAX_MEMBERS);
const pathOf = (id: string): string => `/api/v1/team/members/${encodeURIComponent(id)}`;

/** The id of a member by its id, address or name of the service account. @throws CliError not_found */
async function memberIdOf(client: Client, which: string): Promise<string> {
  const found = (await listOf(client)).find(
    ({ id, email }) => [id, email].includes(which) || email === `service:${which}`,
  );
  if (found === undefined) throw new CliError('not_found', `there is no member "${which}"`);
  return textAt(found, 'id');
}

/** Lists members. */
export const list = command({
  name: 'member list',
  summary: 'Lists the members and service accounts of the workspace, by an admin',
  async run({ session }) {
    const { client, world } = session;
    const rows = await listOf(client);
    session.answer(rows, () =>
      world.out.table(
        ['MEMBER', 'ROLE', 'SIGNS IN BY', 'LAST SIGN-IN', 'ID'],
        rows.map((row) => [
          textAt(row, 'email'),
          textAt(row, 'role'),
          String(row.sign_in),
          textAt(row, 'last_sign_in_at'),
          textAt(row, 'id'),
        ]),
      ),
    );
    return 'ok';
  },
});

/** Invites a person, and shows the link. */
export const invite = command({
  name: 'member invite',
  summary: 'Invites a person; the link is shown once',
  args: [{ name: 'EMAIL' }],
  options: { role: { type: 'string', value: 'ROLE', help: 'viewer, member, admin or owner; member unless given' } },
  async run({ session, args: [email = ''], options: { role = 'member' } }) {
    const { client, world } = session;
    const invited = await client.call('POST', '/api/v1/team/invite', { email, role });
    session.answer(invited, () => world.out.line(textAt(invited, 'invite_url')));
    return 'ok';
  },
});

/** Creates a service account. */
export const addService = command({
  name: 'member add-service',
  summary: 'Creates a service account: a member for programs, which has API keys and cannot sign in',
  args: [{ name: 'NAME' }],
  options: { role: { type: 'string', value: 'ROLE', help: 'viewer, member or admin; member unless given' } },
  async run({ session, args: [name = ''], options: { role = 'member' } }) {
    const { client, world } = session;
    const made = await client.call('POST', '/api/v1/team/service-accounts', { name, role });
    session.answer(made, () => world.out.line(`Created ${textAt(made, 'email')} (${textAt(made, 'id')})`));
    return 'ok';
  },
});

/** Changes the role of a member. */
export const setRole = command({
  name: 'member role',
  summary: 'Changes the role of a member, by an owner',
  args: [MEMBER, { name: 'ROLE' }],
  async run({ session, args: [which = '', role = ''] }) {
    const { client, world } = session;
    const changed = await client.call('PUT', `${pathOf(await memberIdOf(client, which))}/role`, { role });
    session.answer(changed, () => world.out.line(`${textAt(changed, 'email')} is ${textAt(changed, 'role')}`));
    return 'ok';
  },
});

/** Removes a member. */
export const remove = command({
  name: 'member remove',
  summary: 'Removes a member or a service account with its API keys, by an owner',
  args: [MEMBER],
  async run({ session, args: [which = ''] }) {
    const { client, world } = session;
    const id = await memberIdOf(client, which);
    await client.call('DELETE', pathOf(id));
    session.answer({ removed: id }, () => world.out.line(`${which} is removed`));
    return 'ok';
  },
});
