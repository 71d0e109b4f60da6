import { useQueryClient } from '@tanstack/react-query';
import { type Dispatch, useState } from 'react';
import { api, type DraftView, EverstepError, type WorkflowDocument, type WorkflowView } from '../../api/client';
import type { JsonObject } from '../../model/document';
import type { EditorAction } from '../../model/editor-state';
import { draftOf } from './queries';

/** Another document was stored since this one was opened. */
export interface Conflict {
  /** The document that both began with. */
  readonly base: JsonObject;
  readonly theirs: JsonObject;
  readonly what: 'draft' | 'live';
  /** What makes the stored document the one that is replaced. */
  readonly draft: DraftView | null;
  readonly workflow: WorkflowView;
}

/** The stored documents of a workflow, and how they are changed. */
export interface Storage {
  readonly workflow: WorkflowView | null;
  readonly draft: DraftView | null;
  readonly conflict: Conflict | null;
  readonly isBusy: boolean;
  /** Stores the document as the draft; a new workflow is created. Resolves to the workflow, or null at a conflict. */
  save(document: JsonObject): Promise<WorkflowView | null>;
  /** Makes the document the live one. Resolves to the version, or null at a conflict. */
  publish(document: JsonObject, message: string): Promise<number | null>;
  discard(): Promise<JsonObject | null>;
  setWorkflow(workflow: WorkflowView): void;
  /** From now on what is stored counts as known, so that the next save replaces it. */
  resolve(conflict: Conflict): void;
}

interface Stored {
  readonly workflow: WorkflowView | null;
  readonly draft: DraftView | null;
}

const isConflict = (error: unknown): boolean => error instanceof EverstepError && error.status === 412;

export function useStorage(opened: Stored, saved: JsonObject, dispatch: Dispatch<EditorAction>): Storage {
  const client = useQueryClient();
  const [stored, setStored] = useState(opened);
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const [isBusy, setBusy] = useState(false);
  const { workflow, draft } = stored;

  const busy = async <T>(work: () => Promise<T>): Promise<T> => {
    setBusy(true);
    try {
      return await work();
    } finally {
      setBusy(false);
    }
  };
  const found = async (id: string, what: Conflict['what']): Promise<null> => {
    const [now, theirDraft] = await Promise.all([api.workflows.get({ id }), draftOf(id)]);
    const theirs = what === 'live' ? now.dsl : (theirDraft?.dsl ?? now.dsl);
    setConflict({ base: saved, theirs, what, draft: theirDraft, workflow: now });
    return null;
  };
  const create = async (document: JsonObject): Promise<WorkflowView> => {
    const name = typeof document.name === 'string' && document.name !== '' ? document.name : String(document.id);
    // The server checks the document, and names what is wrong.
    const created = await api.workflows.create({ body: { name, dsl: document as unknown as WorkflowDocument } });
    setStored({ workflow: created, draft: null });
    dispatch({ kind: 'saved', document });
    await client.invalidateQueries({ queryKey: ['workflows', 'list'] });
    return created;
  };
  const put = async (id: string, document: JsonObject): Promise<DraftView | null> => {
    const known = draft === null ? { 'If-None-Match': '*' } : { 'If-Match': `"${draft.dsl_hash}"` };
    const base = draft?.base_hash ?? workflow?.dsl_hash;
    try {
      const next = await api.workflows.put_draft({
        id,
        ...known,
        body: { dsl: document, ...(base === undefined ? {} : { base_hash: base }) },
      });
      setStored({ workflow, draft: next });
      dispatch({ kind: 'saved', document });
      return next;
    } catch (error) {
      if (!isConflict(error)) throw error;
      return found(id, 'draft');
    }
  };

  return {
    workflow,
    draft,
    conflict,
    isBusy,
    save: (document) =>
      busy(async () => {
        if (workflow === null) return create(document);
        return (await put(workflow.id, document)) === null ? null : workflow;
      }),
    publish: (document, message) =>
      busy(async () => {
        const { id } = workflow ?? (await create(document));
        if (workflow === null) return 1;
        const stillSaved = draft !== null && JSON.stringify(draft.dsl) === JSON.stringify(document);
        const kept = stillSaved ? draft : await put(id, document);
        if (kept === null) return null;
        try {
          const body = { draft_hash: kept.dsl_hash, ...(message === '' ? {} : { message }) };
          const published = await api.workflows.publish({ id, 'If-Match': `"${kept.base_hash}"`, body });
          setStored({ workflow: published.workflow, draft: null });
          dispatch({ kind: 'saved', document });
          await client.invalidateQueries({ queryKey: ['workflows', id, 'versions'] });
          await client.invalidateQueries({ queryKey: ['workflows', 'list'] });
          return published.version.version;
        } catch (error) {
          if (!isConflict(error)) throw error;
          return found(id, 'live');
        }
      }),
    discard: () =>
      busy(async () => {
        if (workflow === null || draft === null) return null;
        await api.workflows.remove_draft({ id: workflow.id, 'If-Match': `"${draft.dsl_hash}"` });
        const now = await api.workflows.get({ id: workflow.id });
        setStored({ workflow: now, draft: null });
        dispatch({ kind: 'saved', document: now.dsl });
        return now.dsl;
      }),
    setWorkflow: (next) => setStored({ ...stored, workflow: next }),
    resolve: ({ draft: theirDraft, workflow: now, what }) => {
      // What is live now is what the document was merged with, so it is the one that a publication replaces.
      const known = what === 'live' && theirDraft !== null ? { ...theirDraft, base_hash: now.dsl_hash } : theirDraft;
      setStored({ workflow: now, draft: known });
      setConflict(null);
    },
  };
}
