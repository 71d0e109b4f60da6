import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Button, IconButton } from './button';
import { classes } from './classes';
import './dialog.css';
import { CloseIcon } from './icon';
import { Notice } from './notice';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly className?: string;
  /** False where the dialog has to be answered. */
  readonly closable?: boolean;
  readonly children: ReactNode;
}

/** A modal dialog, open while it is rendered. For questions alone: other content goes into a side panel. */
export function Dialog({ title, onClose, className, closable = true, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const dialog = element.current;
    if (dialog === null) return;
    dialog.showModal();
    return () => dialog.close();
  }, []);
  return (
    <dialog
      ref={element}
      className={classes('dialog', className)}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        if (closable) onClose();
      }}
    >
      <header className="dialog-header">
        <h2 id={titleId}>{title}</h2>
        {closable && <IconButton icon={CloseIcon} label="Close" size="small" onClick={onClose} />}
      </header>
      <div className="dialog-content">{children}</div>
    </dialog>
  );
}

interface ConfirmProps {
  readonly title: string;
  readonly children: ReactNode;
  /** The verb of the button. */
  readonly action: string;
  readonly danger?: boolean;
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks before an act that cannot be undone. Stays open, with the error, when the act fails. */
export function ConfirmDialog({ title, children, action, danger = false, onConfirm, onClose }: ConfirmProps) {
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const confirm = (): void => {
    setBusy(true);
    onConfirm()
      .then(onClose, (error: unknown) => setFault(error instanceof Error ? error.message : String(error)))
      .finally(() => setBusy(false));
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="dialog-text">{children}</div>
      {fault !== null && <Notice tone="danger">{fault}</Notice>}
      <footer className="dialog-footer">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind={danger ? 'danger' : 'primary'} busy={busy} onClick={confirm}>
          {action}
        </Button>
      </footer>
    </Dialog>
  );
}

interface FormFooterProps {
  /** The verb of the button that submits. */
  readonly action: string;
  readonly busy: boolean;
  readonly onClose: () => void;
}

/** The buttons of a form in a dialog. */
export function FormFooter({ action, busy, onClose }: FormFooterProps) {
  return (
    <footer className="dialog-footer">
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" type="submit" busy={busy}>
        {action}
      </Button>
    </footer>
  );
}
