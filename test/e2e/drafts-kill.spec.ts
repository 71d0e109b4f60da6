import { createClient } from '../../clients/typescript/src/index';
import type { JsonObject } from '../../console/src/model/document';
import { publishDocument, saveDraft, type StoredDocument } from '../../console/src/model/document-storage';
import { Api } from '../support/server';
import { until } from '../support/until';
import { Installation } from './support/installation';

/** Acceptance runs ask for more. */
const ROUNDS = Number(process.env.KILL_ROUNDS ?? 1);
/** When the server is killed, in milliseconds after a request was sent. */
const DELAYS = [0, 3, 6, 12, 25, 50, 100, 200];
const MAX_KILLS = 40 * ROUNDS;

/** Each delay in every round, and further ones until both sides of the write were hit. */
function* moments(outcomes: ReadonlySet<string>): Generator<readonly [index: number, delayMs: number]> {
  for (let n = 0; n < ROUNDS * DELAYS.length || (outcomes.size < 2 && n < MAX_KILLS); n += 1)
    yield [n, DELAYS[n % DELAYS.length] ?? 0];
}

/** Large enough that it is not one packet, nor one write of the file. */
const documentOf = (n: number): JsonObject => ({
  id: 'd',
  trigger: { type: 'manual' },
  steps: [{ id: 'a', type: 'set', config: { n, text: `${n} `.repeat(20_000) } }],
});
const numberOf = (dsl: unknown): number =>
  (dsl as { steps: { config: { n: number } }[] }).steps[0]?.config.n ?? Number.NaN;

describe('a server that is killed while an editor stores', () => {
  let place: Installation;
  let api: Api;

  beforeAll(async () => {
    place = await Installation.make({});
    await place.start();
    api = new Api(place.url);
    await api.register('editors');
  }, 60_000);
  afterAll(() => place?.remove());

  const workflows = () => createClient({ baseUrl: place.url, token: api.token, retry: { attempts: 1 } }).workflows;

  /** Kills the server some time after a request was sent; answers whether the request was answered. */
  async function killedWhile(request: Promise<unknown>, delayMs: number): Promise<boolean> {
    const answered = request.then(
      () => true,
      () => false,
    );
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    await place.server.kill();
    const wasAnswered = await answered;
    await place.start();
    api.url = place.url;
    return wasAnswered;
  }

  async function created(n: number): Promise<StoredDocument & { readonly id: string }> {
    const outcome = await saveDraft(workflows(), { workflow: null, draft: null }, documentOf(n), documentOf(n));
    if (outcome.kind !== 'done') throw new Error('A new workflow cannot be in conflict');
    return { ...outcome.stored, id: outcome.stored.workflow.id };
  }

  it('has the old draft or the new one, and the save can be repeated', async () => {
    const outcomes = new Set<string>();
    let stored = await created(0);
    const { id } = stored;
    for (const [index, delay] of moments(outcomes)) {
      const [before, after] = [documentOf(index), documentOf(index + 1)];
      const answered = await killedWhile(saveDraft(workflows(), stored, before, after), delay);
      const found = numberOf((await workflows().draft({ id }))?.dsl);
      expect([index, index + 1]).toContain(found);
      if (answered) expect(found).toBe(index + 1);
      outcomes.add(found === index ? 'old' : 'new');
      const again = await saveDraft(workflows(), stored, before, after);
      expect(again).toMatchObject({ kind: 'done', stored: { draft: { dsl: after } } });
      if (again.kind === 'done') stored = { ...again.stored, id };
    }
    expect([...outcomes].sort()).toEqual(['new', 'old']);
  }, 300_000);

  it('has the old version live with the draft, or the new one, and the publication can be repeated', async () => {
    const outcomes = new Set<string>();
    let stored: StoredDocument = await created(0);
    const id = stored.workflow?.id ?? '';
    let kills = 0;
    const none = { message: '', onSaved: () => undefined };
    const first = await publishDocument(workflows(), stored, documentOf(0), { document: documentOf(0), ...none });
    if (first.kind === 'done') stored = first.stored;
    for (const [index, delay] of moments(outcomes)) {
      const [before, after] = [documentOf(index), documentOf(index + 1)];
      kills += 1;
      const kept = await saveDraft(workflows(), stored, before, after);
      if (kept.kind === 'done') stored = kept.stored;
      const publication = { document: after, ...none };
      const answered = await killedWhile(publishDocument(workflows(), stored, after, publication), delay);
      const [live, draft] = await Promise.all([workflows().get({ id }), workflows().draft({ id })]);
      const now = numberOf(live.dsl);
      expect([index, index + 1]).toContain(now);
      // The draft goes only after its document is live.
      if (now === index) expect(numberOf(draft?.dsl)).toBe(index + 1);
      if (answered) expect([now, draft]).toEqual([index + 1, null]);
      outcomes.add(now === index ? 'old' : 'new');
      const again = await publishDocument(workflows(), stored, after, publication);
      expect(again).toMatchObject({ kind: 'done', stored: { workflow: { dsl: after, enabled: true }, draft: null } });
      if (again.kind === 'done') stored = again.stored;
    }
    expect([...outcomes].sort()).toEqual(['new', 'old']);
    const { data } = await workflows().versions({ id, limit: 100 });
    const hashes = data.map(({ dsl_hash }) => dsl_hash);
    expect(hashes).toHaveLength(kills + 1);
    expect(new Set(hashes).size).toBe(hashes.length);
  }, 300_000);

  it('has no workflow, or one with its draft, when it is killed during the first save', async () => {
    const outcomes = new Set<string>();
    for (const [index, delay] of moments(outcomes)) {
      const before = (await workflows().list({ limit: 200 })).data.length;
      const answered = await killedWhile(created(index), delay);
      const { data } = await workflows().list({ limit: 200, sort: '-created_at' });
      expect(data.length - before).toBeLessThanOrEqual(1);
      if (answered) expect(data.length).toBe(before + 1);
      outcomes.add(data.length === before ? 'none' : 'one');
      if (data.length === before) continue;
      const [made] = data;
      expect(made).toMatchObject({ version: 0, enabled: false });
      const draft = await until('the draft is read', () => workflows().draft({ id: made?.id ?? '' }));
      expect(numberOf(draft.dsl)).toBe(index);
    }
    expect([...outcomes].sort()).toEqual(['none', 'one']);
  }, 300_000);
});
