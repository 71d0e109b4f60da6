import type { Api, DraftView, WorkflowDocument, WorkflowView } from '../../../clients/typescript/src/api.ts';
import type { JsonObject } from './document';

/** The operations that store documents. */
type StorageApi = Pick<
  Api['workflows'],
  'create' | 'draft' | 'get' | 'publish' | 'put_draft' | 'remove_draft' | 'version' | 'versions'
>;

/** What the server is known to have; null for a workflow that is not created, and for no draft. */
export interface StoredDocument {
  readonly workflow: WorkflowView | null;
  readonly draft: DraftView | null;
}

/** A workflow that exists, with its draft. */
interface StoredWorkflow extends StoredDocument {
  readonly workflow: WorkflowView;
}

/** Another document was stored since this one was opened. */
export interface Conflict extends StoredWorkflow {
  /** The document that both began with. */
  readonly base: JsonObject;
  readonly theirs: JsonObject;
  readonly what: 'draft' | 'live';
}

type Outcome<T> =
  | ({ readonly kind: 'done'; readonly stored: StoredWorkflow } & T)
  | { readonly kind: 'conflict'; readonly conflict: Conflict };

/** The hash of a draft may be out of date although its document is not; more often than this it is a conflict. */
const MAX_TRIES = 3;
const MAX_VERSIONS = 100;

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

const hasStatus = (error: unknown, ...statuses: readonly number[]): boolean =>
  error instanceof Error && 'status' in error && statuses.includes(error.status as number);

/** Whether nothing of a workflow runs yet: it has its draft alone. */
export const isUnpublished = ({ workflow }: StoredDocument): boolean => workflow === null || workflow.version === 0;

const current = async (api: StorageApi, id: string): Promise<StoredWorkflow> => {
  const [workflow, draft] = await Promise.all([api.get({ id }), api.draft({ id })]);
  return { workflow, draft };
};

/** Creates a workflow with a document as its draft, which need not be valid. */
async function create(api: StorageApi, document: JsonObject): Promise<StoredWorkflow> {
  const name = typeof document.name === 'string' && document.name !== '' ? document.name : String(document.id);
  const dsl = document as unknown as WorkflowDocument;
  const workflow = await api.create({ body: { name: name.slice(0, 200), dsl, publish: false } });
  // Without it the next save finds out.
  const draft = await api.draft({ id: workflow.id }).catch(() => null);
  return { workflow, draft };
}

const put = (api: StorageApi, { workflow, draft }: StoredWorkflow, document: JsonObject): Promise<DraftView> =>
  api.put_draft({
    id: workflow.id,
    ...(draft === null ? { 'If-None-Match': '*' } : { 'If-Match': `"${draft.dsl_hash}"` }),
    body: { dsl: document, base_hash: draft?.base_hash ?? workflow.dsl_hash },
  });

/**
 * Stores a document as the draft; the workflow is created with it. `saved`: the document that was stored when the editing
 * began. A draft that others have stored since is not replaced.
 */
export async function saveDraft(
  api: StorageApi,
  { workflow, draft }: StoredDocument,
  saved: JsonObject,
  document: JsonObject,
): Promise<Outcome<unknown>> {
  if (workflow === null) return { kind: 'done', stored: await create(api, document) };
  let known: StoredWorkflow = { workflow, draft };
  for (let tries = 0; ; tries += 1) {
    try {
      const next = await put(api, known, document);
      return { kind: 'done', stored: { workflow: known.workflow, draft: next } };
    } catch (error) {
      if (!hasStatus(error, 412)) throw error;
    }
    known = await current(api, workflow.id);
    // A save whose answer was lost.
    if (known.draft !== null && same(known.draft.dsl, document)) return { kind: 'done', stored: known };
    const theirs = known.draft?.dsl ?? known.workflow.dsl;
    if (tries >= MAX_TRIES || !same(theirs, saved))
      return { kind: 'conflict', conflict: { ...known, base: saved, theirs, what: 'draft' } };
  }
}

interface Publication {
  readonly document: JsonObject;
  readonly message: string;
  /** Called once the document is the draft, whatever becomes of the publication. */
  readonly onSaved: (stored: StoredWorkflow) => void;
}

/** The outcome of a publication; `version` is null when an earlier attempt has made it. */
type Published = Outcome<{ readonly version: number | null }>;

/** Makes a document the live one, by way of the draft. `version`: of the list of versions; null when it is not known. */
export async function publishDocument(
  api: StorageApi,
  before: StoredDocument,
  saved: JsonObject,
  { document, message, onSaved }: Publication,
): Promise<Published> {
  const isStored = before.workflow !== null && before.draft !== null && same(before.draft.dsl, document);
  const kept = isStored ? null : await saveDraft(api, before, saved, document);
  if (kept?.kind === 'conflict') return kept;
  if (kept !== null) onSaved(kept.stored);
  const stored = (kept?.stored ?? before) as StoredWorkflow;
  const draft = stored.draft ?? (await api.draft({ id: stored.workflow.id }));
  const publish = async (base: string): Promise<Published> => {
    const body = { draft_hash: draft?.dsl_hash, ...(message === '' ? {} : { message }) };
    const { workflow, version } = await api.publish({ id: stored.workflow.id, 'If-Match': `"${base}"`, body });
    return { kind: 'done', stored: { workflow, draft: null }, version: version.version };
  };
  try {
    return await publish(draft?.base_hash ?? stored.workflow.dsl_hash);
  } catch (error) {
    if (!hasStatus(error, 404, 412)) throw error;
  }
  return afterRefusal(api, stored.workflow, draft, document, publish);
}

/** Another change came first, or an earlier publication did succeed and its answer was lost. */
async function afterRefusal(
  api: StorageApi,
  workflow: WorkflowView,
  draft: DraftView | null,
  document: JsonObject,
  publish: (base: string) => Promise<Published>,
): Promise<Published> {
  const now = await current(api, workflow.id);
  const isLive = same(now.workflow.dsl, document);
  // A publication whose answer was lost, or that was cut off before it had removed the draft.
  if (isLive && now.draft === null) return { kind: 'done', stored: now, version: null };
  if (now.draft?.dsl_hash !== draft?.dsl_hash) {
    const theirs = now.draft?.dsl ?? now.workflow.dsl;
    return { kind: 'conflict', conflict: { ...now, base: document, theirs, what: 'draft' } };
  }
  if (isLive) return publish(now.workflow.dsl_hash);
  const base = await documentOf(api, workflow, draft?.base_hash ?? '');
  return { kind: 'conflict', conflict: { ...now, base, theirs: now.workflow.dsl, what: 'live' } };
}

/** The document of a hash: that of the workflow as it was opened, or of a version. An empty one, which every change differs from, when it is gone. */
async function documentOf(api: StorageApi, { id, dsl, dsl_hash }: WorkflowView, hash: string): Promise<JsonObject> {
  if (dsl_hash === hash) return dsl;
  const { data } = await api.versions({ id, limit: MAX_VERSIONS });
  const row = data.find((each) => each.dsl_hash === hash);
  return row === undefined ? {} : (await api.version({ id, version: String(row.version) })).dsl;
}

/** Discards the draft, if it is the known one. Answers what is stored then. */
export async function discardDraft(api: StorageApi, { workflow, draft }: StoredWorkflow): Promise<StoredWorkflow> {
  const { id } = workflow;
  if (draft !== null) {
    await api.remove_draft({ id, 'If-Match': `"${draft.dsl_hash}"` }).catch((error: unknown) => {
      // It is gone already.
      if (!hasStatus(error, 404)) throw error;
    });
  }
  return { workflow: await api.get({ id }), draft: null };
}

/** What counts as stored after the user has seen a conflict: the next save replaces it. */
export function resolved({ workflow, draft, what }: Conflict): {
  readonly stored: StoredDocument;
  readonly saved: JsonObject;
} {
  const saved = draft?.dsl ?? workflow.dsl;
  // What is live now is what the document was merged with, so it is the one that a publication replaces.
  const known = what === 'live' && draft !== null ? { ...draft, base_hash: workflow.dsl_hash } : draft;
  return { stored: { workflow, draft: known }, saved };
}
