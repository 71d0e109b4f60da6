import { type ReactNode, useRef, useState } from 'react';
import { Button, classes } from '../../ui';
import { UploadIcon } from '../../ui/icon';
import { useShown } from '../../ui/may-edit';
import styles from './knowledge.module.css';

interface DropZoneProps {
  readonly onFiles: (files: readonly File[]) => void;
  /** Other ways to add something. */
  readonly children: ReactNode;
}

/** Takes files that are dropped on it or chosen. */
export function DropZone({ onFiles, children }: DropZoneProps) {
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const shown = useShown(true);
  if (!shown) return null;
  return (
    <div
      className={classes(styles.drop, over && styles.dropOver)}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        onFiles([...event.dataTransfer.files]);
      }}
    >
      <input
        ref={input}
        type="file"
        multiple
        className="visually-hidden"
        tabIndex={-1}
        aria-label="Files"
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])]);
          currentTarget.value = '';
        }}
      />
      <p>
        <strong>Drop files here</strong>
        <span className="cell-muted">PDF, Word, PowerPoint, Excel, EPUB, HTML, Markdown, CSV, JSON or text</span>
      </p>
      <div className={styles.actions}>
        <Button icon={UploadIcon} onClick={() => input.current?.click()}>
          Choose files
        </Button>
        {children}
      </div>
    </div>
  );
}
