import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type WorkflowView } from '../../api/client';
import type { JsonObject } from '../../model/document';
import { isUnpublished } from '../../model/document-storage';
import { documentOf, isDirty } from '../../model/editor-state';
import { Button, ConfirmDialog, Field, Input, Loaded, Notice, SidePanel, toast, toastError } from '../../ui';
import { DiffView } from './diff-view';
import { useEditor } from './editor-context';
import styles from './editor.module.css';
import type { Storage } from './use-storage';

interface PublishPanelProps {
  readonly storage: Storage;
  readonly onClose: () => void;
}

/** What a publication changes; it makes the draft the live document, and a version of it. */
export function PublishPanel({ storage, onClose }: PublishPanelProps) {
  const { state, problems, dispatch } = useEditor();
  const document = documentOf(state);
  const [message, setMessage] = useState('');
  const [discarding, setDiscarding] = useState(false);
  const { workflow, draft } = storage;
  const invalid = problems.errors.length > 0;
  const isFirst = isUnpublished(storage);
  const publish = async (): Promise<void> => {
    try {
      const published = await storage.publish(document, message);
      if (published === null) return;
      toast(publishedText(published));
      onClose();
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <SidePanel title="Publish" onClose={onClose}>
      {invalid && (
        <Notice tone="danger">{`The document has ${problems.errors.length === 1 ? 'a problem' : `${problems.errors.length} problems`}. It can be saved as a draft, and published when it is valid.`}</Notice>
      )}
      {isFirst || workflow === null ? (
        <p>Nothing of it runs yet. With the publication it is live, and what starts it is on.</p>
      ) : isDirty(state) || draft === null ? (
        <>
          <p>The changes are saved as the draft first. Then you see what differs from the live version.</p>
          <div>
            <Button edits busy={storage.isBusy} onClick={() => void storage.save(document).catch(toastError)}>
              Save, and show the differences
            </Button>
          </div>
        </>
      ) : (
        <DraftDiff id={workflow.id} hash={draft.dsl_hash} live={workflow.dsl} />
      )}
      <Field label="Message" optional hint="What has changed, for the list of versions.">
        <Input value={message} maxLength={1_000} onChange={({ currentTarget: { value } }) => setMessage(value)} />
      </Field>
      <div className={styles.chips}>
        <Button
          edits
          kind="primary"
          busy={storage.isBusy}
          disabled={invalid || problems.isChecking}
          onClick={() => void publish()}
        >
          Publish
        </Button>
        {draft !== null && !isFirst && (
          <Button edits kind="ghost" onClick={() => setDiscarding(true)}>
            Discard the draft
          </Button>
        )}
      </div>
      {discarding && (
        <ConfirmDialog
          title="Discard the draft?"
          action="Discard"
          danger
          onConfirm={async () => {
            const live = await storage.discard();
            if (live !== null) dispatch({ kind: 'replace', document: live });
            onClose();
          }}
          onClose={() => setDiscarding(false)}
        >
          <p>The live version stays as it is. Undo brings the changes back while this page is open.</p>
        </ConfirmDialog>
      )}
    </SidePanel>
  );
}

function publishedText({ status, enabled, version }: WorkflowView): string {
  if (status === 'pending_approval') return `Version ${version} waits for the approval of an admin`;
  return enabled ? `Version ${version} is live` : `Version ${version} is published; the workflow is disabled`;
}

interface DraftDiffProps {
  readonly id: string;
  readonly hash: string;
  readonly live: JsonObject;
}

function DraftDiff({ id, hash, live }: DraftDiffProps) {
  const diff = useQuery({
    queryKey: ['workflows', id, 'draft-diff', hash],
    queryFn: ({ signal }) => api.workflows.diff_draft({ id }, { signal }),
  });
  return <Loaded query={diff}>{(found) => <DiffView diff={found} before={live} />}</Loaded>;
}
