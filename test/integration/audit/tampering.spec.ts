import type { Collection } from 'mongodb';
import { chained, eventMac, GENESIS, headMac, type Link } from '../../../mixins/audit/event';
import { type AuditRecord, auditModels, eventOf, type HeadRecord, placeOf } from '../../../mixins/audit/model';
import { AuditLog } from '../../../mixins/audit';
import { auditService } from '../../../services/audit/audit.service';
import { startApp, type TestApp } from '../../support/app';
import { actingUser, chainOf, poke } from './support/log';

let app: TestApp;
let events: Collection<AuditRecord>;
let heads: Collection<HeadRecord>;
let tenant: string;

beforeAll(async () => {
  app = await startApp({ services: [auditService] });
  const models = auditModels(app.app.db);
  events = models.events.collection as unknown as Collection<AuditRecord>;
  heads = models.heads.collection as unknown as Collection<HeadRecord>;
});
afterAll(() => app?.close());

/** A chain of ten events. */
beforeEach(async () => {
  const who = actingUser();
  tenant = who.tenantId;
  await poke(app.app.audit, who, 10);
});

const at = (seq: number): string => placeOf(tenant, seq);
const record = async (seq: number): Promise<AuditRecord> => (await events.findOne({ _id: at(seq) })) as AuditRecord;
const set = (seq: number, fields: object) => events.updateOne({ _id: at(seq) }, { $set: fields });
const verdict = (params: { from_seq?: number; anchor?: string } = {}) =>
  app.call('audit.verify', params, { tenant_id: tenant });

/** Recomputes the hashes of all that follows a place, which is what an attacker with write access and without the key can do. */
async function rechain(from: number, change: (record: AuditRecord) => AuditRecord): Promise<Link> {
  let prev: Link = from === 1 ? GENESIS : await record(from - 1);
  for (const old of (await chainOf(app.app, tenant)).filter(({ seq }) => seq >= from)) {
    const changed = old.seq === from ? change(old) : old;
    const next = chained(tenant, eventOf(changed), prev);
    await events.replaceOne(
      { _id: at(next.seq) },
      { ...changed, seq: next.seq, prev_hash: next.prev_hash, hash: next.hash },
    );
    prev = next;
  }
  return prev;
}

test('an unchanged chain is valid, from any place on', async () => {
  const { hash } = await record(10);
  expect(await verdict()).toEqual({ valid: true, complete: true, events: 10, head: { seq: 10, hash }, next_seq: null });
  expect(await verdict({ from_seq: 7 })).toMatchObject({ valid: true, complete: true, events: 5, head: { seq: 10 } });
  expect(await verdict({ from_seq: 11 })).toMatchObject({ valid: true, complete: true, events: 1 });
});

test('a tenant without events has a valid chain', async () => {
  tenant = 'no-such-tenant';
  expect(await verdict()).toEqual({
    valid: true,
    complete: true,
    events: 0,
    head: { seq: 0, hash: '' },
    next_seq: null,
  });
});

describe('is found:', () => {
  test.each<[string, (record: AuditRecord) => object]>([
    ['an action', () => ({ action: 'thing.stroke' })],
    ['an actor', ({ actor }) => ({ actor: { ...actor, email: 'eve@example.com' } })],
    ['an address', ({ actor }) => ({ actor: { ...actor, ip: null } })],
    ['a target', ({ target }) => ({ target: { ...target, name: 'Another' } })],
    ['a state', () => ({ after: '{"n":99}' })],
    ['a state that is no JSON', () => ({ before: '{' })],
    ['a time', () => ({ at: '2020-01-01T00:00:00.000Z' })],
    ['an outcome', () => ({ outcome: 'failed' })],
    ['a request', () => ({ request_id: 'other' })],
    ['a hash', () => ({ hash: '0'.repeat(64) })],
    ['what it is looked up by', () => ({ words: [] })],
    ['a type', () => ({ actor: 7 })],
  ])('%s that was changed', async (_what, change) => {
    await set(4, change(await record(4)));
    expect(await verdict()).toMatchObject({ valid: false, events: 3, first_fault: { seq: 4, reason: 'changed' } });
  });

  test('an event that was removed', async () => {
    await events.deleteOne({ _id: at(4) });
    expect(await verdict()).toMatchObject({ valid: false, first_fault: { seq: 4, reason: 'missing' } });
    expect(await verdict({ from_seq: 5 })).toMatchObject({ valid: false, first_fault: { seq: 4, reason: 'missing' } });
  });

  test('an event that was given to another tenant', async () => {
    await set(4, { tenant_id: 'other' });
    expect(await verdict()).toMatchObject({ valid: false, first_fault: { seq: 4, reason: 'missing' } });
  });

  test('events that have changed places', async () => {
    const [four, five] = [await record(4), await record(5)];
    await events.deleteMany({ _id: { $in: [at(4), at(5)] } });
    await events.insertMany([
      { ...four, _id: at(5) },
      { ...five, _id: at(4) },
    ]);
    expect(await verdict()).toMatchObject({ valid: false, first_fault: { seq: 4, reason: 'misplaced' } });
    await set(4, { seq: 4 });
    expect(await verdict()).toMatchObject({ valid: false, first_fault: { seq: 4, reason: 'changed' } });
  });

  test('an event that was put in between, where there is no place', async () => {
    await events.insertOne({ ...(await record(4)), _id: `${at(4)}x`, id: 'other' });
    expect(await verdict()).toMatchObject({ valid: false, first_fault: { seq: 5, reason: 'misplaced' } });
  });

  test('an event that was put at the end, with the right hash', async () => {
    const next = chained(tenant, { ...eventOf(await record(10)), id: 'made-up' }, await record(10));
    await events.insertOne({ ...(await record(10)), ...next, before: null, after: null, _id: at(11) });
    expect(await verdict()).toMatchObject({ valid: false, first_fault: { seq: 11 } });
  });

  test('a change after which all hashes were computed again', async () => {
    await rechain(4, (old) => ({ ...old, after: '{"n":99}' }));
    expect(await verdict()).toMatchObject({ valid: false, events: 3, first_fault: { seq: 4, reason: 'forged' } });
  });

  test('a whole chain that was computed again, with its old proofs', async () => {
    await rechain(1, (old) => ({ ...old, after: null }));
    expect(await verdict()).toMatchObject({ valid: false, first_fault: { seq: 1, reason: 'forged' } });
  });

  test('an end that was cut off', async () => {
    await events.deleteMany({ _id: { $in: [at(9), at(10)] } });
    expect(await verdict()).toMatchObject({ valid: false, events: 8, first_fault: { seq: 9, reason: 'missing' } });
  });

  test('an end that was cut off, when others were written since', async () => {
    await events.deleteMany({ _id: { $in: [at(9), at(10)] } });
    // This process knows where it was; one that was started since does not.
    const restarted = new AuditLog({ ...app.app, warn: () => undefined });
    await poke(restarted, actingUser(tenant), 3);
    expect(await verdict()).toMatchObject({ valid: false, events: 8, first_fault: { seq: 9, reason: 'missing' } });
  });

  test.each<[string, (head: HeadRecord) => Promise<unknown>, string]>([
    ['taken away', () => heads.deleteOne({ _id: tenant }), 'head_missing'],
    ['set back', () => heads.updateOne({ _id: tenant }, { $set: { seq: 8 } }), 'head_changed'],
    [
      'set back under another key',
      ({ hash }) =>
        heads.updateOne(
          { _id: tenant },
          { $set: { seq: 8, hash, mac: headMac(Buffer.alloc(32), tenant, { seq: 8, hash }) } },
        ),
      'head_changed',
    ],
  ])('an end that was cut off with the head %s, also when others were written since', async (_how, change, reason) => {
    await events.deleteMany({ _id: { $in: [at(9), at(10)] } });
    await change((await heads.findOne({ _id: tenant })) as HeadRecord);
    expect(await verdict()).toMatchObject({ valid: false, first_fault: { seq: 8, reason } });
    const restarted = new AuditLog({ ...app.app, warn: () => undefined });
    await poke(restarted, actingUser(tenant), 3);
    expect(await verdict()).toMatchObject({ valid: false, first_fault: { reason } });
  });

  test('a log that was set back to how it once was, by an anchor of since then', async () => {
    const early = (await heads.findOne({ _id: tenant })) as HeadRecord;
    await poke(app.app.audit, actingUser(tenant), 2);
    const { head } = await verdict();
    const anchor = `${head.seq}:${head.hash}`;
    expect(await verdict({ anchor })).toMatchObject({ valid: true });
    await events.deleteMany({ _id: { $in: [at(11), at(12)] } });
    await heads.replaceOne({ _id: tenant }, early);
    expect(await verdict()).toMatchObject({ valid: true });
    expect(await verdict({ anchor })).toMatchObject({ valid: false, first_fault: { seq: 12, reason: 'missing' } });
  });

  test('an event that is another one than that of an anchor', async () => {
    const { hash } = await record(3);
    expect(await verdict({ anchor: `4:${hash}` })).toMatchObject({
      valid: false,
      first_fault: { seq: 4, reason: 'anchor_differs' },
    });
  });
});

test('a head that is behind, as a crash leaves it, is no fault', async () => {
  const { hash } = await record(8);
  const mac = headMac(app.app.keys.audit, tenant, { seq: 8, hash });
  await heads.updateOne({ _id: tenant }, { $set: { seq: 8, hash, mac } });
  expect(await verdict()).toMatchObject({ valid: true, events: 10, head: { seq: 10 } });
});

test('an event outside of the chain is in no list', async () => {
  const stray = { ...(await record(4)), _id: 'stray', id: 'stray' };
  await events.insertOne({ ...stray, mac: eventMac(Buffer.alloc(32), stray.hash) });
  const { data } = await app.call('audit.list', {}, { tenant_id: tenant });
  expect(data.map(({ seq }) => seq)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
});

test.each(['x', '0:', `0:${'a'.repeat(64)}`, `4:${'A'.repeat(64)}`])('an anchor %p is refused', async (anchor) => {
  await expect(verdict({ anchor })).rejects.toMatchObject({ type: 'invalid_request' });
});

test('a place after the end of the log is refused', async () => {
  await expect(verdict({ from_seq: 5_000 })).rejects.toMatchObject({ type: 'invalid_request' });
});
