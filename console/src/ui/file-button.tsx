import { useRef, useState } from 'react';
import { Button } from './button';
import { UploadIcon } from './icon';
import { toastError } from './toast';

interface FileButtonProps {
  /** The text of the button. */
  readonly children: string;
  /** What the file is. */
  readonly label: string;
  /** Endings and media types, as of the `accept` attribute. */
  readonly accept: string;
  /** Takes the chosen file; its error is shown. */
  readonly onFile: (file: File) => Promise<void>;
}

/** A button that asks for a file of this machine. */
export function FileButton({ children, label, accept, onFile }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  const take = async (file: File): Promise<void> => {
    setBusy(true);
    try {
      await onFile(file);
    } catch (error) {
      toastError(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <input
        ref={input}
        type="file"
        accept={accept}
        className="visually-hidden"
        tabIndex={-1}
        aria-label={label}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file !== undefined) void take(file);
          currentTarget.value = '';
        }}
      />
      <Button edits icon={UploadIcon} busy={busy} onClick={() => input.current?.click()}>
        {children}
      </Button>
    </>
  );
}
