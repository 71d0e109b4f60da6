import { Button, CodeBlock, Dialog, Notice } from '../../ui';

interface RecoveryCodesDialogProps {
  readonly codes: readonly string[];
  readonly onClose: () => void;
}

/** Recovery codes, which are shown once. */
export function RecoveryCodesDialog({ codes, onClose }: RecoveryCodesDialogProps) {
  return (
    <Dialog title="Recovery codes" onClose={onClose}>
      <Notice tone="warn">Keep these codes in a safe place. They are shown once, and each can be used once.</Notice>
      <CodeBlock text={codes.join('\n')} label="Recovery codes" />
      <footer className="dialog-footer">
        <Button kind="primary" onClick={onClose}>
          I have stored them
        </Button>
      </footer>
    </Dialog>
  );
}
