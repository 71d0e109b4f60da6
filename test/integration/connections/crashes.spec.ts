import { randomId } from '../../../lib/ids';
import { LEASE_MS } from '../../../services/connections/token-refresh/rules';
import type { CaseAnswer } from '../../nodes/connectors/connector-case';
import type { TestApp } from '../../support/app';
import { askedOn, type ConnectionNodes, startNodes, tokenIn } from '../../support/connections/nodes';
import { type StoredConnection, storedConnection } from '../../support/connections/stored';
import { type Provider, type SeenRequest, startProvider } from '../../support/connectors/provider';
import { until } from '../../support/until';

const HOUR = 3_600_000;

/** What the provider says; a test changes it. */
let answer: (request: SeenRequest) => CaseAnswer | Promise<CaseAnswer>;
let provider: Provider;
let cluster: ConnectionNodes;
let first: TestApp;
let second: TestApp;
let issued = 0;

beforeAll(async () => {
  provider = await startProvider((request) => answer(request));
  cluster = await startNodes(2, {
    EGRESS_ALLOW: '',
    OAUTH_SUITE_CLIENT_ID: 'c',
    OAUTH_SUITE_CLIENT_SECRET: 's',
    OAUTH_SUITE_AUTHORIZE_URL: `${provider.url}/authorize`,
    OAUTH_SUITE_TOKEN_URL: `${provider.url}/token`,
    OAUTH_SUITE_REVOKE_URL: `${provider.url}/revoke`,
  });
  [first, second] = cluster.nodes;
});
afterAll(async () => {
  await cluster.close();
  await provider.close();
});
beforeEach(() => {
  answer = () => tokens();
});

/** A new pair, as a provider gives that changes refresh tokens each time. */
const tokens = (given: object = {}): CaseAnswer => {
  issued += 1;
  const json = { access_token: `access-${issued}`, refresh_token: `refresh-${issued}`, expires_in: 3_600, ...given };
  return { json };
};
const refusal = (error = 'invalid_grant'): CaseAnswer => ({ status: 400, json: { error } });

/** A connection whose token has ended, of a tenant of its own. */
async function ended(given: StoredConnection = {}) {
  const { clock } = cluster;
  const made = await storedConnection(first, randomId(), {
    access_token: 'old',
    refresh_token: `stored-${randomId()}`,
    expires_at: new Date(clock.now() - 1),
    lifetime_ms: HOUR,
    ...given,
  });
  return { id: made._id, tenant: made.tenant_id };
}

const connections = () => first.app.db.collection<{ _id: string; [key: string]: unknown }>('connections');
const stored = async (id: string) => {
  const found = await connections().findOne({ _id: id });
  if (found === null) throw new Error('There is no such connection');
  return found;
};
const refreshTokensSeen = (): (string | null)[] =>
  provider.seen.filter(({ url }) => url === '/token').map(({ text }) => new URLSearchParams(text).get('refresh_token'));

/** An answer that is kept back until it is let go. */
function held(): { answer: Promise<CaseAnswer>; release: (given: CaseAnswer) => void } {
  let release: (given: CaseAnswer) => void = () => undefined;
  const kept = new Promise<CaseAnswer>((resolve) => {
    release = resolve;
  });
  return { answer: kept, release };
}

describe('a process that dies', () => {
  it('before it asks the provider holds the next one up for the lease, and costs nothing', async () => {
    const { id, tenant } = await ended();
    await connections().updateOne(
      { _id: id },
      { $set: { refreshing: { by: 'dead', since: new Date(cluster.clock.now()) } } },
    );
    const asked = askedOn(first, tenant, id);
    const before = refreshTokensSeen().length;
    await until('it waits', async () => (await stored(id)).refreshing !== null);
    expect(refreshTokensSeen()).toHaveLength(before);
    cluster.clock.leap(LEASE_MS + 1);
    expect(tokenIn(await asked)).toBe(`access-${issued}`);
    expect(await stored(id)).toMatchObject({ status: 'active', refreshing: null, generation: 2 });
  });

  it('after the answer and before the record: a provider that takes the old refresh token once more mends it', async () => {
    const { id, tenant } = await ended();
    const since = new Date(cluster.clock.now() - LEASE_MS);
    await connections().updateOne({ _id: id }, { $set: { refreshing: { by: 'dead', since } } });
    expect(tokenIn(await askedOn(second, tenant, id))).toBe(`access-${issued}`);
  });

  it('after the answer and before the record: a provider that does not has ended it, and every caller gets that error', async () => {
    const { id, tenant } = await ended();
    const since = new Date(cluster.clock.now() - LEASE_MS);
    await connections().updateOne({ _id: id }, { $set: { refreshing: { by: 'dead', since } } });
    answer = () => refusal();
    expect(await askedOn(second, tenant, id)).toMatchObject({
      kind: 'refused',
      error: { code: 'connection_revoked', message: expect.stringContaining('connect the account again') },
    });
    expect(await stored(id)).toMatchObject({ status: 'revoked', last_error: 'The suite refuses: invalid_grant' });
    const asked = refreshTokensSeen().length;
    expect(tokenIn(await askedOn(first, tenant, id))).toBe('connection_revoked');
    expect(refreshTokensSeen()).toHaveLength(asked);
    const { data } = await first.call('connections.list', {}, { tenant_id: tenant });
    expect(data).toMatchObject([{ id, status: 'revoked' }]);
    const token = first.call('connections.token', { id }, { tenant_id: tenant });
    await expect(token).rejects.toMatchObject({ type: 'connection_revoked' });
  });

  it('after the record leaves the next one nothing to do', async () => {
    const { id, tenant } = await ended();
    const token = tokenIn(await askedOn(first, tenant, id));
    const asked = refreshTokensSeen().length;
    expect(tokenIn(await askedOn(second, tenant, id))).toBe(token);
    expect(refreshTokensSeen()).toHaveLength(asked);
  });
});

describe('a process that stands still for longer than its lease', () => {
  /** The first node asks, and its answer is kept back; the lease passes. */
  async function stalled() {
    const connection = await ended();
    const { answer: late, release } = held();
    answer = () => late;
    const seen = refreshTokensSeen().length;
    const asked = askedOn(first, connection.tenant, connection.id);
    await until('the provider is asked', () => refreshTokensSeen().length > seen);
    cluster.clock.leap(LEASE_MS + 1);
    return { ...connection, asked, release };
  }

  it('loses to the next one, whose tokens are newer: its own are dropped', async () => {
    const { id, tenant, asked, release } = await stalled();
    answer = () => tokens();
    const newer = tokenIn(await askedOn(second, tenant, id));
    release(tokens());
    expect(tokenIn(await asked)).toBe(newer);
    expect(tokenIn(await askedOn(first, tenant, id))).toBe(newer);
    expect(await stored(id)).toMatchObject({ generation: 2 });
  });

  it('mends a connection with what it has got, when the next one was refused for the same refresh token', async () => {
    const { id, tenant, asked, release } = await stalled();
    answer = () => refusal();
    expect(tokenIn(await askedOn(second, tenant, id))).toBe('connection_revoked');
    release(tokens());
    const token = tokenIn(await asked);
    expect(token).toBe(`access-${issued}`);
    expect(tokenIn(await askedOn(second, tenant, id))).toBe(token);
    expect(await stored(id)).toMatchObject({ status: 'active', last_error: null });
  });

  it('ends nothing with a refusal that comes late', async () => {
    const { id, tenant, asked, release } = await stalled();
    answer = () => tokens();
    const newer = tokenIn(await askedOn(second, tenant, id));
    release(refusal());
    expect(tokenIn(await asked)).toBe(newer);
    expect(await stored(id)).toMatchObject({ status: 'active' });
  });
});

it('a connection that is removed during its renewal is not there afterwards, and what it got is given back', async () => {
  const { id, tenant } = await ended();
  const { answer: late, release } = held();
  answer = ({ url }) => (url === '/token' ? late : {});
  const seen = refreshTokensSeen().length;
  const asked = askedOn(first, tenant, id);
  await until('the provider is asked', () => refreshTokensSeen().length > seen);
  await second.call('connections.remove', { id }, { tenant_id: tenant });
  release(tokens());
  expect(tokenIn(await asked)).toBe('unknown_connection');
  expect(await connections().findOne({ _id: id })).toBeNull();
  const given = provider.seen
    .filter(({ url }) => url === '/revoke')
    .map(({ text }) => new URLSearchParams(text).get('token'));
  expect(given).toContain(`refresh-${issued}`);
});

it('tokens that come while a connection is being removed are given back too', async () => {
  const { id, tenant } = await ended();
  const [renewal, revocation] = [held(), held()];
  const revoked = (): (string | null)[] =>
    provider.seen.filter(({ url }) => url === '/revoke').map(({ text }) => new URLSearchParams(text).get('token'));
  const before = revoked().length;
  answer = ({ url }) => (url === '/token' ? renewal.answer : revoked().length === before + 1 ? revocation.answer : {});
  const seen = refreshTokensSeen().length;
  const asked = askedOn(first, tenant, id);
  await until('the provider is asked', () => refreshTokensSeen().length > seen);
  const removed = second.call('connections.remove', { id }, { tenant_id: tenant });
  await until('the provider is notified', () => revoked().length > before);
  renewal.release(tokens());
  expect(tokenIn(await asked)).toBe('connection_revoked');
  expect(revoked()).toContain(`refresh-${issued}`);
  revocation.release({});
  await removed;
  expect(await connections().findOne({ _id: id })).toBeNull();
});

describe('a failing provider', () => {
  const about = () => ended({ expires_at: new Date(cluster.clock.now() + 60_000) });

  it.each<[string, CaseAnswer]>([
    ['that fails', { status: 503, json: { error: 'x' } }],
    ['that has enough', { status: 429, headers: { 'retry-after': '2' }, text: '' }],
    ['that says something else', { status: 200, text: 'hello' }],
    ['that does not know us any more', refusal('invalid_client')],
  ])('%s: the old token is given while it is valid, then the state is unknown', async (_how, given) => {
    const { id, tenant } = await about();
    answer = () => given;
    const seen = refreshTokensSeen().length;
    expect(tokenIn(await askedOn(first, tenant, id))).toBe('old');
    expect(tokenIn(await askedOn(second, tenant, id))).toBe('old');
    // Not asked again at once.
    expect(refreshTokensSeen()).toHaveLength(seen + 1);
    expect(await stored(id)).toMatchObject({ status: 'active', last_error: expect.stringContaining('The suite') });
    cluster.clock.leap(61_000);
    await expect(askedOn(first, tenant, id)).rejects.toMatchObject({ type: 'unavailable' });
    answer = () => tokens();
    cluster.clock.leap(10_000);
    expect(tokenIn(await askedOn(second, tenant, id))).toBe(`access-${issued}`);
    expect(await stored(id)).toMatchObject({ last_error: null, retry_at: null });
  });

  it('keeps the refresh token where the answer has no new one', async () => {
    const { id, tenant } = await ended({ refresh_token: 'the one that stays' });
    answer = () => tokens({ refresh_token: undefined });
    await askedOn(first, tenant, id);
    cluster.clock.leap(HOUR);
    await askedOn(first, tenant, id);
    expect(refreshTokensSeen().slice(-2)).toEqual(['the one that stays', 'the one that stays']);
  });

  it('is believed about a token that lives for a second: it is given, and not renewed in a loop', async () => {
    const { id, tenant } = await ended();
    answer = () => tokens({ expires_in: 0.001 });
    const seen = refreshTokensSeen().length;
    expect(tokenIn(await askedOn(first, tenant, id))).toBe(`access-${issued}`);
    expect(refreshTokensSeen()).toHaveLength(seen + 1);
  });
});

describe('a token that a provider has refused', () => {
  it('is renewed, and one that was refused long ago is answered with the one of now', async () => {
    const { id, tenant } = await ended({ expires_at: new Date(cluster.clock.now() + HOUR) });
    const next = tokenIn(await askedOn(first, tenant, id, { refused: 'old' }));
    expect(next).toBe(`access-${issued}`);
    const seen = refreshTokensSeen().length;
    expect(tokenIn(await askedOn(second, tenant, id, { refused: 'old' }))).toBe(next);
    expect(refreshTokensSeen()).toHaveLength(seen);
  });

  it('and that cannot be renewed fails with that error, and one failure does not end the connection', async () => {
    const { id, tenant } = await ended({ refresh_token: null, expires_at: null, lifetime_ms: null });
    expect(tokenIn(await askedOn(first, tenant, id, { refused: 'old' }))).toBe('connection_revoked');
    expect(tokenIn(await askedOn(first, tenant, id))).toBe('old');
    expect(await stored(id)).toMatchObject({ status: 'active', last_error: expect.stringContaining('rejected') });
  });
});

describe('which connection a step gets', () => {
  it('the one it names by id or name, for the right connector, and none that has ended', async () => {
    const { id, tenant } = await ended({ name: 'work', expires_at: null });
    expect(tokenIn(await askedOn(first, tenant, id))).toBe('old');
    expect(tokenIn(await askedOn(first, tenant, 'work'))).toBe('old');
    expect(tokenIn(await askedOn(first, tenant, 'play'))).toBe('unknown_connection');
    expect(tokenIn(await askedOn(first, tenant, 'work', { connectors: ['notes'] }))).toBe('wrong_connection');
    await connections().updateOne({ _id: id }, { $set: { renewable: false, expires_at: new Date(0) } });
    expect(tokenIn(await askedOn(first, tenant, 'work'))).toBe('connection_expired');
  });

  it('the only one that fits where it names none, and no one of several', async () => {
    const { id, tenant } = await ended({ name: 'a', expires_at: null });
    await storedConnection(first, tenant, { name: 'other', connector: 'notes' });
    expect(await askedOn(first, tenant, '')).toMatchObject({ connection: { id, connector: 'suite' } });
    await storedConnection(first, tenant, { name: 'b' });
    expect(tokenIn(await askedOn(first, tenant, ''))).toBe('ambiguous_connection');
    expect(tokenIn(await askedOn(first, tenant, '', { connectors: ['chat'] }))).toBe('unknown_connection');
  });

  it('is noted as used once a minute at the most', async () => {
    const { id, tenant } = await ended({ expires_at: null });
    await askedOn(first, tenant, id);
    const used = await until('it is noted', async () => (await stored(id)).last_used_at as Date | null);
    cluster.clock.leap(30_000);
    await askedOn(first, tenant, id);
    cluster.clock.leap(31_000);
    await askedOn(first, tenant, id);
    const again = await until('it is noted again', async () => {
      const at = (await stored(id)).last_used_at as Date;
      return at > used ? at : null;
    });
    expect(again.getTime() - used.getTime()).toBeGreaterThan(60_000);
  });
});
