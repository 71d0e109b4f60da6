import type { JsonObject } from '../../../lib/json';
import { connectionsService } from '../../../services/connections/connections.service';
import { connectorsService } from '../../../services/connectors/connectors.service';
import { type Answer, type Asked, type SourceServer, startSourceServer } from '../../support/source-server';
import { Site } from './site';

const MINUTE = 60_000;
const TOKEN = 'xoxb-finch-in-the-vault';

let site: Site;
let source: SourceServer;
let messages: JsonObject[];
let token: string;
beforeEach(async () => {
  messages = [];
  token = TOKEN;
  source = await startSourceServer(chat);
  site = await Site.open({ env: { CONNECTOR_CHAT_URL: source.url }, more: [connectionsService, connectorsService] });
});
afterEach(async () => {
  await site?.close();
  await source?.close();
});

function chat({ path, query, headers }: Asked): Answer {
  if (headers.authorization !== `Bearer ${token}`) return { body: { ok: false, error: 'token_revoked' } };
  if (path !== '/conversations.history') return { body: { ok: true, team: 'T', user: 'bot' } };
  const after = messages.filter(({ ts }) => Number(ts) > Number(query.oldest ?? 0));
  return { body: { ok: true, messages: after } };
}

const say = (ts: number): void => void messages.unshift({ ts: ts.toFixed(6), user: 'U1', text: `at ${ts}` });
const connect = (name: string, access_token: string) =>
  site.hub.call('connections.create', { connector: 'chat', name, credentials: { access_token } }, site.ann);
const textsOf = (id: string): unknown[] => site.triggersOf(id).map(({ text }) => text);

describe('a source behind a connection', () => {
  test('is asked with the one that there is, whose token is shown nowhere', async () => {
    await connect('team', TOKEN);
    const id = await site.watching('chat_message', { channel: 'C1', every: '1m' });
    await site.pass(0);
    say(1);
    await site.pass(MINUTE);
    expect(textsOf(id)).toEqual(['at 1']);
    const shown = [await site.source(id), await site.db.collection('schedules').find().toArray()];
    expect(JSON.stringify([shown, [...site.executor.runs.values()]])).not.toContain(TOKEN);
  });

  test('of which there are several asks for the name of one, and is polled when it has one', async () => {
    await connect('one', TOKEN);
    await connect('two', TOKEN);
    const id = await site.watching('chat_message', { channel: 'C1', every: '1m' });
    await site.pass(0);
    expect((await site.source(id)).trouble?.code).toBe('ambiguous_connection');
    const named = await site.watching('chat_message', { channel: 'C1', every: '1m', connection: 'two' });
    await site.pass(0);
    expect((await site.source(named)).trouble).toBeNull();
  });

  test('that counts no more says so, and goes on where it was when there is another', async () => {
    const { id: old } = await connect('team', TOKEN);
    const id = await site.watching('chat_message', { channel: 'C1', every: '1m', connection: 'team' });
    await site.pass(0);
    token = 'xoxb-wren-in-the-vault';
    await site.pass(MINUTE);
    const { trouble: fault } = await site.source(id);
    expect(fault?.code).toBe('token_revoked');
    expect(fault?.message).not.toContain(TOKEN);
    say(1);
    await site.hub.call('connections.remove', { id: old, force: true }, site.ann);
    await connect('team', token);
    await site.pass(60 * MINUTE);
    expect(textsOf(id)).toEqual(['at 1']);
    expect(await site.source(id)).toMatchObject({ failures: 0, trouble: null });
  });

  test('of another tenant is not found', async () => {
    const bob = { tenant_id: 'bob', user_id: 'u2', role: 'owner' as const };
    const credentials = { access_token: TOKEN };
    const { id: theirs } = await site.hub.call(
      'connections.create',
      { connector: 'chat', name: 'bob', credentials },
      bob,
    );
    const asked = source.asked.length;
    for (const connection of ['bob', theirs]) {
      const id = await site.watching('chat_message', { channel: 'C1', every: '1m', connection });
      await site.pass(0);
      expect((await site.source(id)).trouble?.code).toBe('unknown_connection');
    }
    expect(source.asked).toHaveLength(asked);
  });
});
