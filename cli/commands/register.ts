import { Client } from '../client';
import { command } from '../command';
import { CliError } from '../exits';
import { askFor, firstLine } from '../prompt';
import { isVisible, serverUrl } from '../session';
import { objectAt, textAt } from '../workflows';
import { FALLBACK_URL, warnOfPlainHttp } from './login';

/** Registers a tenant with its owner, and stores the credential in the profile. */
export const register = command({
  name: 'register',
  summary: 'Creates a tenant with you as its owner, and signs in',
  args: [{ name: 'URL', optional: true }],
  options: {
    tenant: { type: 'string', value: 'SLUG', help: 'the short name of the tenant (EVERSTEP_TENANT)' },
    name: { type: 'string', value: 'NAME', help: 'the name of the tenant; else its short name' },
    email: { type: 'string', value: 'EMAIL', help: 'the owner (EVERSTEP_EMAIL)' },
    stdin: { type: 'boolean', help: 'reads the password from standard input' },
  },
  notes: ['Missing values are prompted for. The password (EVERSTEP_PASSWORD) is never a command-line argument.'],
  async run({ args, options, session }) {
    const { world } = session;
    const { env } = world;
    const url = serverUrl(args[0] ?? (env.EVERSTEP_URL || FALLBACK_URL));
    warnOfPlainHttp(url, world);
    const slug = options.tenant ?? (env.EVERSTEP_TENANT || (await askFor(world, 'Tenant: ', '--tenant')));
    const email = options.email ?? (env.EVERSTEP_EMAIL || (await askFor(world, 'E-mail: ', '--email')));
    const password = options.stdin
      ? firstLine(await world.readAll())
      : env.EVERSTEP_PASSWORD || (await askFor(world, 'Password: ', '--stdin', true));
    const body = { tenant_slug: slug, tenant_name: options.name ?? slug, email, password };
    const made = await new Client(url, null, world.signal).call('POST', '/api/v1/auth/register', body);
    const { token } = made;
    if (typeof token !== 'string' || !isVisible(token))
      throw new CliError('refused', `${url} returned no token; check that it is an Everstep server`);
    session.profiles.save(session.name, { url, credential: token, kind: 'token' });
    const { name: profile } = session;
    session.answer({ profile, url, email, role: 'owner', tenant: slug }, () =>
      world.out.line(
        `Registered ${textAt(objectAt(made, 'tenant'), 'slug')} at ${url}; signed in as ${textAt(objectAt(made, 'user'), 'email')}`,
      ),
    );
    return 'ok';
  },
});
