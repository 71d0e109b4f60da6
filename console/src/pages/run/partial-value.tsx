import { useState } from 'react';
import { saveBlob } from '../../app/save-file';
import { Button, JsonView, Notice, toastError } from '../../ui';
import { DownloadIcon } from '../../ui/icon';

interface PartialValueProps {
  readonly value: unknown;
  readonly label: string;
  /** Only the beginning of the value is here. */
  readonly isCut: boolean;
  /** Reads all of it. */
  readonly load: () => Promise<unknown>;
  /** Of a download, without its extension. */
  readonly fileName: string;
}

/** A value of a run. Of a large one the beginning is shown, until the user asks for all of it. */
export function PartialValue({ value, label, isCut, load, fileName }: PartialValueProps) {
  const [whole, setWhole] = useState<{ readonly of: unknown; readonly value: unknown } | null>(null);
  const [busy, setBusy] = useState(false);
  // What was loaded belongs to another value once the run has gone on.
  const loaded = whole?.of === value ? whole : null;
  const withWhole = (use: (found: unknown) => void) => (): void => {
    setBusy(true);
    load()
      .then(use, toastError)
      .finally(() => setBusy(false));
  };
  const save = (found: unknown): void =>
    saveBlob(new Blob([JSON.stringify(found, null, 2)], { type: 'application/json' }), `${fileName}.json`);
  return (
    <>
      {isCut && loaded === null && (
        <Notice
          actions={
            <>
              <Button size="small" busy={busy} onClick={withWhole((found) => setWhole({ of: value, value: found }))}>
                Load all of it
              </Button>
              <Button size="small" icon={DownloadIcon} busy={busy} onClick={withWhole(save)}>
                Download
              </Button>
            </>
          }
        >
          This is the beginning of a large value: lists and texts in it go on.
        </Notice>
      )}
      <JsonView value={loaded === null ? value : loaded.value} label={label} />
    </>
  );
}
