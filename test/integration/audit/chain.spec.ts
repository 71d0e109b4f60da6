import { createConnection } from 'mongoose';
import { AppError } from '../../../lib/errors';
import { AuditLog } from '../../../mixins/audit';
import { DATABASE_OPTIONS } from '../../../lib/database';
import { auditService } from '../../../services/audit/audit.service';
import { openTestDatabase, startApp, type TestApp, type TestDatabase } from '../../support/app';
import { until } from '../../support/until';
import { actingUser, chainOf, poke, THING } from './support/log';

let app: TestApp;
let log: AuditLog;
let database: TestDatabase;

beforeAll(async () => {
  database = await openTestDatabase();
  app = await startApp({ services: [auditService], database });
  log = app.app.audit;
});
afterAll(async () => {
  await app?.close();
  await database?.close();
});

/** The log as another process has it. */
const elsewhere = (): AuditLog => new AuditLog({ ...app.app, warn: () => undefined });

const verdict = (tenantId: string) => app.call('audit.verify', {}, { tenant_id: tenantId });

describe('a chain', () => {
  test('has all events that are written side by side, without a gap', async () => {
    const who = actingUser();
    await Promise.all(Array.from({ length: 1_000 }, () => log.note(who, { action: 'thing.poke', target: THING })));
    await log.settled();
    const chain = await chainOf(app.app, who.tenantId);
    expect(chain.map(({ seq }) => seq)).toEqual(Array.from({ length: 1_000 }, (_, n) => n + 1));
    expect(chain.slice(1).map(({ prev_hash }) => prev_hash)).toEqual(chain.slice(0, -1).map(({ hash }) => hash));
    expect(await verdict(who.tenantId)).toMatchObject({ valid: true, events: 1_000, head: { seq: 1_000 } });
  });

  test('is one chain when several processes write it at the same time', async () => {
    const who = actingUser();
    const processes = [log, elsewhere(), elsewhere(), elsewhere()];
    await Promise.all(
      processes.map(async (each) => {
        for (let n = 0; n < 25; n += 1) await each.note(who, { action: 'thing.poke', target: THING });
      }),
    );
    await Promise.all(processes.map((each) => each.settled()));
    expect(await verdict(who.tenantId)).toMatchObject({ valid: true, complete: true, events: 100 });
  });

  test('is its tenant’s own', async () => {
    const tenants = Array.from({ length: 50 }, () => actingUser());
    await Promise.all(tenants.map((who) => poke(log, who, 2)));
    for (const { tenantId } of tenants) expect(await verdict(tenantId)).toMatchObject({ valid: true, events: 2 });
  });
});

describe('an act', () => {
  test('is on record before it begins', async () => {
    const who = actingUser();
    const seen = await log.audited(who, { action: 'thing.make', target: THING, after: { size: 1 } }, () =>
      chainOf(app.app, who.tenantId),
    );
    expect(seen).toMatchObject([
      {
        action: 'thing.make',
        actor: who.actor,
        target: THING,
        after: '{"size":1}',
        before: null,
        outcome: null,
        request_id: 'request-1',
      },
    ]);
  });

  test('that fails has a second event which says so, and its own error', async () => {
    const who = actingUser();
    const fault = new AppError('conflict', 'Another request was faster');
    const act = log.audited(who, { action: 'thing.make', target: THING, after: { size: 1 } }, () =>
      Promise.reject(fault),
    );
    await expect(act).rejects.toBe(fault);
    const [event, failure] = await chainOf(app.app, who.tenantId);
    expect(failure).toMatchObject({ outcome: 'failed', refers_to: event?.id, after: '{"error":"conflict"}' });
  });

  test('that a crash prevents leaves its event, and a log that goes on', async () => {
    const who = actingUser();
    const dying = elsewhere();
    let begun = false;
    void dying.audited(who, { action: 'thing.make', target: THING }, () => {
      begun = true;
      return new Promise<never>(() => undefined);
    });
    await until('the act is about to happen', () => begun);
    await elsewhere().note(who, { action: 'thing.poke', target: THING });
    expect((await chainOf(app.app, who.tenantId)).map(({ action }) => action)).toEqual(['thing.make', 'thing.poke']);
    expect(await verdict(who.tenantId)).toMatchObject({ valid: true, complete: true });
  });

  test('does not happen when it cannot be put on record', async () => {
    const db = await createConnection(database.url, DATABASE_OPTIONS).asPromise();
    await db.close();
    const broken = new AuditLog({ ...app.app, db, warn: () => undefined });
    const act = jest.fn();
    await expect(broken.audited(actingUser(), { action: 'thing.make', target: THING }, act)).rejects.toMatchObject({
      name: expect.stringContaining('Mongo'),
    });
    expect(act).not.toHaveBeenCalled();
  });
});

describe('what is kept of a state', () => {
  const kept = async (after: object): Promise<unknown> => {
    const who = actingUser();
    await log.note(who, { action: 'thing.change', target: THING, after: after as never });
    const [event] = await chainOf(app.app, who.tenantId);
    expect(await verdict(who.tenantId)).toMatchObject({ valid: true });
    return JSON.parse(event?.after ?? 'null');
  };

  test('members that are named like a secret are masked at any depth; that one is set is not', async () => {
    const state = {
      password: 'p',
      Api_Key: 'k',
      nested: [{ client_secret: 's', authorization: { scheme: 'x' } }],
      webhook_api_key_set: true,
      token: null,
      name: 'n',
    };
    expect(await kept(state)).toEqual({
      password: '********',
      Api_Key: '********',
      nested: [{ client_secret: '********', authorization: '********' }],
      webhook_api_key_set: true,
      token: null,
      name: 'n',
    });
  });

  test('more than 16 KiB is kept as its size and hash', async () => {
    expect(await kept({ text: 'x'.repeat(20_000) })).toEqual({
      too_large: true,
      bytes: 20_011,
      sha256: expect.stringMatching(/^[\da-f]{64}$/),
    });
  });

  test('keys that mean something to a database or to JavaScript, and halves of characters, stay as they are', async () => {
    const odd = JSON.parse('{"$set":{"a.b":1},"__proto__":{"x":1},"constructor":2,"half":"\\ud83d","zero":-0}');
    expect(JSON.stringify(await kept(odd))).toBe(JSON.stringify({ ...odd, zero: 0 }));
  });
});

test('half of a character in a name or an address does not make the chain invalid later', async () => {
  const who = { ...actingUser(), requestId: 'r\ud83d', actor: { ...actingUser().actor, email: 'a\udc00@example.com' } };
  await log.note(who, { action: 'thing.poke', target: { ...THING, name: '\ud83d' } });
  expect(await verdict(who.tenantId)).toMatchObject({ valid: true, events: 1 });
});
