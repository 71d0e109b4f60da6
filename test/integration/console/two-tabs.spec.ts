import fc from 'fast-check';
import { type Client, createClient } from '../../../clients/typescript/src/index';
import { type JsonObject, mergeDocuments } from '../../../console/src/model/document';
import {
  discardDraft,
  isUnpublished,
  publishDocument,
  resolved,
  saveDraft,
  type StoredDocument,
} from '../../../console/src/model/document-storage';
import { registerTenant } from '../../support/accounts';
import { startApp, type TestApp } from '../../support/app';
import { allServices } from '../../support/services';

let app: TestApp;
let api: Client['workflows'];

beforeAll(async () => {
  app = await startApp({ services: [allServices] });
  const { token } = await registerTenant(app);
  api = createClient({ baseUrl: app.url, token }).workflows;
});
afterAll(() => app?.close());

const step = (id: string): JsonObject => ({ id, type: 'set', config: { by: id } });
const NEW: JsonObject = { id: 'shared', trigger: { type: 'manual' }, steps: [step('first')] };
const idsOf = ({ steps }: JsonObject): string[] => (steps as { id: string }[]).map(({ id }) => id);
const create = async (): Promise<string> => {
  const outcome = await saveDraft(api, { workflow: null, draft: null }, NEW, NEW);
  if (outcome.kind !== 'done') throw new Error('A new workflow cannot be in conflict');
  return outcome.stored.workflow.id;
};

/** An editor of a workflow in a tab: what it shows, and what it knows to be stored. */
class Tab {
  document: JsonObject = NEW;
  #saved: JsonObject = NEW;
  stored: StoredDocument = { workflow: null, draft: null };

  constructor(private readonly id: string) {}

  async open(): Promise<this> {
    const [workflow, draft] = await Promise.all([api.get({ id: this.id }), api.draft({ id: this.id })]);
    this.stored = { workflow, draft };
    this.document = draft?.dsl ?? workflow.dsl;
    this.#saved = this.document;
    return this;
  }

  /** Adds a step, which no other edit does, at the beginning or the end. */
  edit(id: string, atEnd: boolean): void {
    const steps = this.document.steps as JsonObject[];
    this.document = { ...this.document, steps: atEnd ? [...steps, step(id)] : [step(id), ...steps] };
  }

  async save(): Promise<boolean> {
    return this.#take(await saveDraft(api, this.stored, this.#saved, this.document));
  }

  async publish(): Promise<boolean> {
    const onSaved = (stored: StoredDocument): void => this.#store(stored, this.document);
    const publication = { document: this.document, message: '', onSaved };
    return this.#take(await publishDocument(api, this.stored, this.#saved, publication));
  }

  /** At a conflict the user takes the merged document. True when the document was stored. */
  #take(outcome: Awaited<ReturnType<typeof saveDraft>>): boolean {
    if (outcome.kind === 'done') {
      this.#store(outcome.stored, this.document);
      return true;
    }
    const { base, theirs } = outcome.conflict;
    const next = resolved(outcome.conflict);
    this.document = mergeDocuments(base, this.document, theirs).document;
    this.stored = next.stored;
    this.#saved = next.saved;
    return false;
  }

  #store(stored: StoredDocument, document: JsonObject): void {
    this.stored = stored;
    this.#saved = document;
  }
}

const acts = fc.array(
  fc.record({ tab: fc.nat(2), act: fc.constantFrom('edit', 'edit', 'save', 'publish'), atEnd: fc.boolean() }),
  { minLength: 4, maxLength: 16 },
);

test('three tabs that edit, save and publish in any order lose no change', async () => {
  let conflicts = 0;
  await fc.assert(
    fc.asyncProperty(acts, async (all) => {
      const id = await create();
      const tabs = await Promise.all([0, 1, 2].map(() => new Tab(id).open()));
      const made: string[] = ['first'];
      for (const { tab: index, act, atEnd } of all) {
        const tab = tabs[index] as Tab;
        if (act === 'edit') {
          made.push(`s${made.length}`);
          tab.edit(made.at(-1) as string, atEnd);
        } else if (!(await (act === 'save' ? tab.save() : tab.publish()))) conflicts += 1;
      }
      // In the end each of them publishes what it has.
      for (const tab of tabs) {
        let tries = 0;
        while (!(await tab.publish())) expect((tries += 1)).toBeLessThan(4);
      }
      const live = await api.get({ id });
      expect(idsOf(live.dsl).sort()).toEqual(made.sort());
      expect(await api.draft({ id })).toBeNull();
      // The plan limits those that are enabled.
      await api.disable({ id });
    }),
    { numRuns: 25, seed: 7 },
  );
  expect(conflicts).toBeGreaterThan(10);
}, 120_000);

/** An API of which one call is made and its answer lost, as when a connection breaks or the server is killed after the write. */
const losing = (lost: 'create' | 'publish' | 'put_draft'): Client['workflows'] => {
  let left = 1;
  return new Proxy(api, {
    get: (target, name) => {
      const call = target[name as 'get'];
      if (name !== lost || left === 0) return call;
      return async (given: never) => {
        left -= 1;
        await call(given);
        throw new Error('The connection was lost');
      };
    },
  });
};

test('a save whose answer was lost is no conflict with itself, nor is the change after it', async () => {
  const tab = await new Tab(await create()).open();
  const { stored, document } = tab;
  const broken = losing('put_draft');
  const changed = { ...document, description: 'a' };
  await expect(saveDraft(broken, stored, document, changed)).rejects.toThrow('lost');
  const again = await saveDraft(broken, stored, document, changed);
  expect(again).toMatchObject({ kind: 'done', stored: { draft: { dsl: changed } } });
});

test('a publication whose answer was lost is found to be done', async () => {
  const tab = await new Tab(await create()).open();
  const broken = losing('publish');
  const publication = { document: tab.document, message: 'first', onSaved: () => undefined };
  await expect(publishDocument(broken, tab.stored, tab.document, publication)).rejects.toThrow('lost');
  const again = await publishDocument(broken, tab.stored, tab.document, publication);
  expect(again).toMatchObject({ kind: 'done', stored: { workflow: { version: 1, enabled: true }, draft: null } });
  const { data } = await api.versions({ id: again.kind === 'done' ? again.stored.workflow.id : '' });
  expect(data).toHaveLength(1);
});

test('a draft that others discarded or stored unchanged is no conflict', async () => {
  const id = await create();
  await (await new Tab(id).open()).publish();
  const [one, two] = [await new Tab(id).open(), await new Tab(id).open()];
  one.edit('one', true);
  expect(await one.save()).toBe(true);
  if (one.stored.workflow === null) throw new Error('The workflow is stored');
  await discardDraft(api, { ...one.stored, workflow: one.stored.workflow });
  two.edit('two', true);
  expect(await two.save()).toBe(true);
  expect((await api.draft({ id }))?.dsl).toEqual(two.document);
});

test('after another version went live, both are merged by the document that the draft was made from', async () => {
  const id = await create();
  await (await new Tab(id).open()).publish();
  const mine = await new Tab(id).open();
  mine.edit('mine', true);
  expect(await mine.save()).toBe(true);
  // Programs change the live document without a draft, several times.
  for (const name of ['x', 'y']) {
    const { dsl } = await api.get({ id });
    await api.update({ id, body: { dsl: { ...dsl, steps: [...(dsl.steps as never[]), step(name)] } as never } });
  }
  const later = await new Tab(id).open();
  expect(await later.publish()).toBe(false);
  expect(idsOf(later.document).sort()).toEqual(['first', 'mine', 'x', 'y']);
  expect(await later.publish()).toBe(true);
  expect(isUnpublished(later.stored)).toBe(false);
});
