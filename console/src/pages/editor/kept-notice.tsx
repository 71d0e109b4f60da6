import { Button, Notice } from '../../ui';

interface KeptNoticeProps {
  readonly onRestore: () => void;
  readonly onDiscard: () => void;
}

/** An earlier tab was closed with changes that were not saved. */
export function KeptNotice({ onRestore, onDiscard }: KeptNoticeProps) {
  return (
    <Notice
      tone="warn"
      actions={
        <>
          <Button size="small" onClick={onRestore}>
            Restore
          </Button>
          <Button size="small" kind="ghost" onClick={onDiscard}>
            Discard
          </Button>
        </>
      }
    >
      This browser has changes of this workflow that were never saved.
    </Notice>
  );
}
