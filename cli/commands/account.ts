import { Client } from '../client';
import { command } from '../command';
import { CliError } from '../exits';
import { objectAt, textAt } from '../workflows';

/** Logs out at the server, and removes the profile in any case. */
export const logout = command({
  name: 'logout',
  summary: 'Logs out and removes the profile',
  notes: ['An API key is only removed from this machine; revoke it at the server (DELETE /api/v1/api-keys/ID).'],
  async run({ session }) {
    const { name, profiles, world } = session;
    const profile = profiles.find(name);
    if (profile === undefined) throw new CliError('signed_out', `there is no profile "${name}"`);
    const { url, credential, kind } = profile;
    profiles.remove(name);
    if (kind === 'token') {
      await new Client(url, credential, world.signal)
        .call('POST', '/api/v1/auth/logout', {})
        .catch((fault: unknown) => {
          // A session that has already ended is no error.
          if (!(fault instanceof CliError) || fault.exit !== 'signed_out') throw fault;
        });
    }
    session.answer({ profile: name, signed_out: true }, () => world.out.line(`Signed out of ${url}`));
    return 'ok';
  },
});

/** Shows the owner of the credential. */
export const whoami = command({
  name: 'whoami',
  summary: 'Shows who is signed in, and where',
  async run({ session }) {
    const { client, world } = session;
    const me = await client.call('GET', '/api/v1/me');
    session.answer({ url: client.url, ...me }, () => {
      const tenant = objectAt(me, 'tenant');
      world.out.line(
        `${textAt(me, 'email')}, ${textAt(me, 'role')} of ${textAt(tenant, 'slug')} (${textAt(tenant, 'plan')}), at ${client.url}`,
      );
    });
    return 'ok';
  },
});
