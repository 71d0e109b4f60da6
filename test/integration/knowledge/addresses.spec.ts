import type { BaseRecord, DocumentRecord } from '../../../services/knowledge/models';
import { bytesOfTenant } from '../../../services/knowledge/bases/statistics';
import { documentView } from '../../../services/knowledge/views';
import { Lease, LeaseLost } from '../../../mixins/leased-work/lease';
import { type KnowledgeHouse, openKnowledgeHouse, unrecorded } from '../../support/knowledge/process';
import { type Answer, type SourceServer, startSourceServer } from '../../support/source-server';
import { until } from '../../support/until';

const HOUR_MS = 3_600_000;

let source: SourceServer;
let inside: SourceServer;
let house: KnowledgeHouse;
let base: BaseRecord;

beforeAll(async () => {
  [source, inside] = await Promise.all([startSourceServer(), startSourceServer()]);
  house = await openKnowledgeHouse({ env: { EGRESS_ALLOW: new URL(source.url).host } });
  base = await house.makeBase();
});
afterAll(async () => {
  await house?.close();
  await Promise.all([source?.close(), inside?.close()]);
});

const page = (text: string, headers: Record<string, string> = {}): Answer => ({
  headers: { 'content-type': 'text/html; charset=utf-8', ...headers },
  body: `<html><head><title>The page</title></head><body><nav>Home</nav><article><h1>Birds</h1><p>${text} ${'It is a long story. '.repeat(30)}</p></article></body></html>`,
});

let paths = 0;
/** Adds an address of its own that serves the given response, and waits until nothing is left to do about it. */
async function add(answer: Answer, refresh?: string): Promise<DocumentRecord> {
  source.answer = () => answer;
  const url = `${source.url}/${paths++}#part`;
  const added = await house.knowledge.documents.add(base, { url, ...(refresh && { refresh }) }, unrecorded);
  expect(added.status).toBe('queued');
  return settled(added.id);
}

const settled = (id: string): Promise<DocumentRecord> =>
  until('the address was asked', async () => {
    const document = (await house.document(id)) as DocumentRecord;
    return document.next === null && document.owner === null ? document : null;
  });

/** Lets time pass until it is asked again, and waits for the end of that. */
async function later(id: string, ms: number): Promise<DocumentRecord> {
  house.clock.leap(ms);
  const { due_at: before } = (await house.document(id)) as DocumentRecord;
  house.knowledge.documentRunner.kick();
  await until('it is taken up', async () => (await house.document(id))?.due_at?.getTime() !== before?.getTime());
  return settled(id);
}

describe('an address', () => {
  test('is read as a page, by its title, and never asked for what stands behind the hash', async () => {
    const document = await add(page('Storks nest on roofs.'));
    expect(documentView(document)).toMatchObject({ name: 'The page', status: 'ready', error: null });
    const [found] = await house.find(base, 'storks on roofs');
    expect(found).toContain('Storks nest on roofs.');
    expect(found).not.toContain('Home');
    expect(source.asked.at(-1)?.path).toBe(new URL((document.source as { url: string }).url).pathname);
    const again = { url: (document.source as { url: string }).url };
    expect(await house.knowledge.documents.add(base, again, unrecorded)).toMatchObject({
      id: document._id,
      duplicate: true,
    });
  });

  test('is asked again when it is due, and changes nothing as long as it has not changed', async () => {
    const { _id } = await add(page('Cranes dance.', { etag: '"1"' }), '1h');
    source.answer = ({ headers }) => (headers['if-none-match'] === '"1"' ? { status: 304 } : page('Changed.'));
    const asked = source.asked.length;
    const unchanged = await later(_id, HOUR_MS + 1_000);
    expect(source.asked.length).toBe(asked + 1);
    expect([unchanged.revision, unchanged.last_revision]).toEqual([2, 2]);
    // Without a word of it, but with the same bytes.
    source.answer = () => page('Cranes dance.');
    expect((await later(_id, HOUR_MS + 1_000)).last_revision).toBe(2);
    source.answer = () => page('Herons stand.');
    const changed = await later(_id, HOUR_MS + 1_000);
    expect([changed.revision, changed.status]).toEqual([3, 'ready']);
    expect(await house.find(base, 'cranes')).toEqual([]);
    expect((await house.find(base, 'herons'))[0]).toContain('Herons stand.');
  });

  test('keeps its content while fetches fail, warns, and backs off', async () => {
    const { _id } = await add(page('Gulls cry.'), '1h');
    source.answer = () => ({ status: 500 });
    const waits: number[] = [];
    for (let n = 0; n < 3; n++) {
      const document = await later(_id, (waits.at(-1) ?? HOUR_MS) + 1_000);
      const next = documentView(document).source as { next_check_at: string };
      waits.push(Date.parse(next.next_check_at) - house.clock.now());
      expect(document.status).toBe('ready');
      expect(documentView(document).warnings.join()).toContain('status 500');
    }
    expect(waits.map((ms) => Math.round(ms / HOUR_MS))).toEqual([1, 2, 4]);
    expect((await house.find(base, 'gulls'))[0]).toContain('Gulls cry.');
    const broken = { headers: { 'content-type': 'application/pdf', etag: '"broken"' }, body: '%PDF-1.4 broken' };
    source.answer = ({ headers }) => (headers['if-none-match'] === '"broken"' ? { status: 304 } : broken);
    expect((await later(_id, 5 * HOUR_MS)).status).toBe('ready');
    // The failed content has not become the stored content, so the same response is parsed again.
    expect(documentView(await later(_id, 9 * HOUR_MS)).warnings.join()).toContain('last refresh failed');
    source.answer = () => page('Gulls are silent.');
    const refreshed = await later(_id, 17 * HOUR_MS);
    expect(documentView(refreshed).warnings).toEqual([]);
    expect((await house.find(base, 'gulls'))[0]).toContain('Gulls are silent.');
  });

  test('that has nothing is failed at once, and tried again on request', async () => {
    const { _id, error } = await add({ status: 404 });
    expect(error?.code).toBe('fetch_failed');
    source.answer = () => page('Swifts are here.');
    expect((await house.knowledge.documents.refresh(base, _id)).status).toBe('queued');
    expect(await settled(_id)).toMatchObject({ status: 'ready', error: null });
  });

  test('that is busy is tried again later, as it asks', async () => {
    source.answer = () => ({ status: 503, headers: { 'retry-after': '60' } });
    const { id } = await house.knowledge.documents.add(base, { url: `${source.url}/busy` }, unrecorded);
    const waiting = await until('it waits', async () => {
      const document = await house.document(id);
      return document?.error === null || document?.owner !== null ? null : document;
    });
    expect(waiting).toMatchObject({ status: 'queued', error: { code: 'fetch_failed' } });
    expect((waiting.due_at as Date).getTime() - house.clock.now()).toBeGreaterThan(55_000);
    source.answer = () => page('Terns are back.');
    expect(await later(id, 61_000)).toMatchObject({ status: 'ready', error: null });
  });

  test('that is blocked gets that error, and is never requested, also by a redirect', async () => {
    const { id } = await house.knowledge.documents.add(base, { url: `${inside.url}/secret` }, unrecorded);
    expect((await settled(id)).error?.code).toBe('fetch_blocked');
    const redirected = await add({ status: 302, headers: { location: `${inside.url}/secret` } });
    expect([redirected.status, redirected.error?.code]).toEqual(['failed', 'fetch_blocked']);
    expect(inside.asked).toEqual([]);
  });
});

test('what was fetched counts for the plan at once', async () => {
  const { models, quota } = house.knowledge.deps;
  const { bytes: kept } = await bytesOfTenant(models.documents, base.tenant_id);
  const size = 512 * 1024 * 1024 - 75_000 - kept;
  const record = { tenant_id: base.tenant_id, base_id: 'other', state: 'removing', due_at: null, bytes: size };
  await house.db.collection('knowledge_documents').insertOne({ _id: 'much' as never, ...record });
  quota.invalidate(base.tenant_id);
  try {
    // Of 20,000 bytes; its chunks and their vectors are 66,000 more.
    expect((await add(page('a '.repeat(10_000)))).error?.code).toBe('quota_exceeded');
  } finally {
    await models.documents.deleteOne({ _id: 'much' });
    quota.invalidate(base.tenant_id);
  }
});

test('work of a process that says nothing any more is taken over, and what it does afterwards counts for nothing', async () => {
  let held = 0;
  source.answer = () => {
    held += 1;
    return held === 1 ? { hang: true } : page('Owls hoot.');
  };
  const { id } = await house.knowledge.documents.add(base, { url: `${source.url}/slow` }, unrecorded);
  await until('the first one waits', () => held === 1);
  const first = (await house.document(id)) as DocumentRecord;
  const other = house.open();
  try {
    house.clock.leap(60_000);
    other.documentRunner.kick();
    const done = await until('the other one is done', async () => {
      const document = await house.document(id);
      return document?.status === 'ready' && document.owner === null ? document : null;
    });
    const { models } = house.knowledge.deps;
    for (const act of ['write', 'release'] as const) {
      const stale = new Lease(models.documents, first, house.clock, ['state']);
      await expect(stale[act]({ status: 'failed' }, null)).rejects.toThrow(LeaseLost);
      expect(stale.signal.aborted).toBe(true);
    }
    expect(await house.document(id)).toEqual(done);
    expect((await house.find(base, 'owls'))[0]).toContain('Owls hoot.');
  } finally {
    await other.stop();
  }
});
