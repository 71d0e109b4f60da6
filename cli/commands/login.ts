import { Client } from '../client';
import { command } from '../command';
import { CliError } from '../exits';
import { objectAt, textAt } from '../workflows';
import { isVisible, serverUrl } from '../session';
import type { World } from '../world';
import { askFor, firstLine } from '../prompt';

/** The default server of `npm start`. */
export const FALLBACK_URL = 'http://localhost:3000';

/** Signs in by e-mail and password or with an API key, and stores it in the profile. */
export const login = command({
  name: 'login',
  summary: 'Signs in and stores the credential',
  args: [{ name: 'URL', optional: true }],
  options: {
    tenant: { type: 'string', value: 'SLUG', help: 'the tenant (EVERSTEP_TENANT)' },
    email: { type: 'string', value: 'EMAIL', help: 'who signs in (EVERSTEP_EMAIL)' },
    'api-key': { type: 'boolean', help: 'takes an API key instead (EVERSTEP_API_KEY)' },
    stdin: {
      type: 'boolean',
      help: 'reads the password or the key from standard input; a code of the second factor is its second line',
    },
  },
  notes: [
    'Missing values are prompted for. The password (EVERSTEP_PASSWORD) and the key are never command-line arguments,',
    'where other users of the machine can see them. A sign-in by password is good for twelve hours, a key until revoked.',
  ],
  async run({ args, options, session }) {
    const { world } = session;
    const name = session.name;
    const url = serverUrl(args[0] ?? (world.env.EVERSTEP_URL || FALLBACK_URL));
    warnOfPlainHttp(url, world);
    const byKey = options['api-key'] || (!!world.env.EVERSTEP_API_KEY && !options.email);
    const credential = byKey ? await keyOf(world, options.stdin) : await signIn(url, world, options);
    const me = await new Client(url, credential, world.signal).call('GET', '/api/v1/me');
    session.profiles.save(name, { url, credential, kind: byKey ? 'api_key' : 'token' });
    const tenant = objectAt(me, 'tenant');
    session.answer(
      { profile: name, url, email: me.email ?? null, role: me.role ?? null, tenant: tenant.slug ?? null },
      () =>
        world.out.line(
          `Signed in to ${url} as ${textAt(me, 'email')} (${textAt(me, 'role')} of ${textAt(tenant, 'slug')})`,
        ),
    );
    return 'ok';
  },
});

async function signIn(
  url: string,
  world: World,
  options: { tenant?: string; email?: string; stdin: boolean },
): Promise<string> {
  const { env } = world;
  const tenant_slug = options.tenant ?? (env.EVERSTEP_TENANT || (await askFor(world, 'Tenant: ', '--tenant')));
  const email = options.email ?? (env.EVERSTEP_EMAIL || (await askFor(world, 'E-mail: ', '--email')));
  const [first = '', second = ''] = options.stdin ? (await world.readAll()).split(/\r?\n/, 2) : [];
  const password = options.stdin
    ? first
    : env.EVERSTEP_PASSWORD || (await askFor(world, 'Password: ', '--stdin', true));
  const client = new Client(url, null, world.signal);
  const { token } = await client
    .call('POST', '/api/v1/auth/login', { tenant_slug, email, password })
    .catch(async (fault: unknown) => {
      const challenge = challengeOf(fault);
      if (challenge === null) throw fault;
      const question = questionFor(challenge.methods, url, world);
      const code = (second || (await askFor(world, question, 'a second line with --stdin'))).trim();
      const proof = /^[\d ]{6,7}$/.test(code) ? { code } : { recovery_code: code };
      return client.call('POST', '/api/v1/auth/second-factor', { challenge: challenge.challenge, ...proof });
    });
  if (typeof token !== 'string' || !isVisible(token))
    throw new CliError('refused', `${url} returned no token; check that it is an Everstep server`);
  return token;
}

const FACTOR_QUESTION = 'Code of your authenticator app, or a recovery code: ';

/** What to ask of an account with these factors. A passkey needs a browser. @throws CliError when there is nothing to ask */
function questionFor(methods: readonly string[], url: string, world: World): string {
  if (!methods.includes('passkey') || methods.includes('totp')) return FACTOR_QUESTION;
  const inBrowser = `sign in at ${url}/console, create an API key there, and use: everstep login ${url} --api-key`;
  if (!methods.includes('recovery_code'))
    throw new CliError(
      'refused',
      `the second factor of this account is a passkey, which needs a browser: ${inBrowser}`,
    );
  world.err.line(
    `The second factor of this account is a passkey, which needs a browser. Enter a recovery code, or ${inBrowser}`,
  );
  return 'Recovery code: ';
}

/** The challenge of a login that needs a second factor; null for any other error. */
function challengeOf(fault: unknown): { readonly challenge: string; readonly methods: readonly string[] } | null {
  if (!(fault instanceof CliError) || fault.more.code !== 'second_factor_challenge') return null;
  const { challenge, methods } = objectAt(fault.more.body ?? {}, 'second_factor');
  if (typeof challenge !== 'string') return null;
  return { challenge, methods: Array.isArray(methods) ? methods.map(String) : [] };
}

async function keyOf(world: World, stdin: boolean): Promise<string> {
  const given = stdin ? firstLine(await world.readAll()) : world.env.EVERSTEP_API_KEY;
  const key = (given || (await askFor(world, 'API key: ', '--stdin', true))).trim();
  if (isVisible(key)) return key;
  throw new CliError('refused', 'invalid API key: it has characters that no key has');
}

export function warnOfPlainHttp(url: string, world: World): void {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'http:' && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname))
    world.err.line(`${url} is not encrypted: anyone on the network can read the credential`);
}
