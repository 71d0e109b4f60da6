import { useQueryClient } from '@tanstack/react-query';
import { type Dispatch, useState } from 'react';
import { api, type DraftView, type WorkflowView } from '../../api/client';
import type { JsonObject } from '../../model/document';
import {
  type Conflict,
  discardDraft,
  publishDocument,
  resolved,
  saveDraft,
  type StoredDocument,
} from '../../model/document-storage';
import type { EditorAction } from '../../model/editor-state';

/** The stored documents of a workflow, and how they are changed. */
export interface Storage {
  readonly workflow: WorkflowView | null;
  readonly draft: DraftView | null;
  readonly conflict: Conflict | null;
  readonly isBusy: boolean;
  /** Stores the document as the draft; a new workflow is created. Resolves to the workflow, or null at a conflict. */
  save(document: JsonObject): Promise<WorkflowView | null>;
  /** Makes the document the live one. Resolves to the workflow, or null at a conflict. */
  publish(document: JsonObject, message: string): Promise<WorkflowView | null>;
  discard(): Promise<JsonObject | null>;
  setWorkflow(workflow: WorkflowView): void;
  /** From now on what is stored counts as known, so that the next save replaces it. */
  resolve(conflict: Conflict): void;
  /** Leaves a conflict for the next save. */
  postpone(): void;
}

export function useStorage(opened: StoredDocument, saved: JsonObject, dispatch: Dispatch<EditorAction>): Storage {
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
  const took = (next: StoredDocument, document: JsonObject): void => {
    setStored(next);
    dispatch({ kind: 'saved', document });
    void client.invalidateQueries({ queryKey: ['workflows', 'list'] });
  };

  return {
    workflow,
    draft,
    conflict,
    isBusy,
    save: (document) =>
      busy(async () => {
        const outcome = await saveDraft(api.workflows, stored, saved, document);
        if (outcome.kind === 'conflict') {
          setConflict(outcome.conflict);
          return null;
        }
        took(outcome.stored, document);
        return outcome.stored.workflow;
      }),
    publish: (document, message) =>
      busy(async () => {
        const onSaved = (next: StoredDocument): void => took(next, document);
        const outcome = await publishDocument(api.workflows, stored, saved, { document, message, onSaved });
        if (outcome.kind === 'conflict') {
          setConflict(outcome.conflict);
          return null;
        }
        took(outcome.stored, document);
        await client.invalidateQueries({ queryKey: ['workflows', outcome.stored.workflow.id, 'versions'] });
        return outcome.stored.workflow;
      }),
    discard: () =>
      busy(async () => {
        if (workflow === null) return null;
        const next = await discardDraft(api.workflows, { workflow, draft });
        took(next, next.workflow.dsl);
        return next.workflow.dsl;
      }),
    setWorkflow: (next) => setStored({ ...stored, workflow: next }),
    resolve: (seen) => {
      const next = resolved(seen);
      setStored(next.stored);
      dispatch({ kind: 'saved', document: next.saved });
      setConflict(null);
    },
    postpone: () => setConflict(null),
  };
}
