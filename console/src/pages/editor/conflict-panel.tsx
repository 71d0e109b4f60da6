import { useMemo } from 'react';
import { mergeDocuments } from '../../model/document';
import { documentOf } from '../../model/editor-state';
import { Button, CodeBlock, Notice, SidePanel } from '../../ui';
import styles from './diff.module.css';
import { useEditor } from './editor-context';
import type { Conflict } from '../../model/document-storage';
import type { Storage } from './use-storage';

interface ConflictPanelProps {
  readonly conflict: Conflict;
  readonly storage: Storage;
  readonly onDone: () => void;
}

/** Another editor has saved meanwhile: shows both documents and their union, and lets the user choose. Nothing is lost. */
export function ConflictPanel({ conflict, storage, onDone }: ConflictPanelProps) {
  const { state, dispatch } = useEditor();
  const mine = documentOf(state);
  const { base, theirs, what } = conflict;
  const { document, conflicts } = useMemo(() => mergeDocuments(base, mine, theirs), [base, mine, theirs]);
  const take = (chosen: typeof mine): void => {
    storage.resolve(conflict);
    dispatch({ kind: 'replace', document: chosen });
    onDone();
  };
  const close = (): void => {
    storage.postpone();
    onDone();
  };
  const text = (value: unknown): string => JSON.stringify(value, null, 2);
  return (
    <SidePanel title="Someone else has saved" onClose={close}>
      <Notice tone="warn">
        {what === 'draft'
          ? 'The draft was changed elsewhere since you opened it. Nothing is overwritten yet.'
          : 'Another version went live since this draft was begun. Nothing is overwritten yet.'}
      </Notice>
      <div className={styles.columns}>
        <section>
          <h3>Merged</h3>
          <p className="cell-muted">
            {conflicts.length === 0
              ? 'Both changes fit together.'
              : `Both have changed ${conflicts.join(', ')}; yours is taken there.`}
          </p>
          <CodeBlock text={text(document)} label="Merged document" />
          <Button kind="primary" onClick={() => take(document)}>
            Take the merged document
          </Button>
        </section>
        <section>
          <h3>Theirs</h3>
          <CodeBlock text={text(theirs)} label="Their document" />
          <Button onClick={() => take(theirs)}>Take theirs</Button>
        </section>
        <section>
          <h3>Mine</h3>
          <CodeBlock text={text(mine)} label="My document" />
          <Button onClick={() => take(mine)}>Keep mine</Button>
        </section>
      </div>
      <p className="cell-muted">Your choice is in the editor only until you save it. Undo brings yours back.</p>
    </SidePanel>
  );
}
