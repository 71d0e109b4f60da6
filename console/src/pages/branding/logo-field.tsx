import { type ChangeEvent, useRef, useState } from 'react';
import { Button } from '../../ui';
import { DeleteIcon, UploadIcon } from '../../ui/icon';
import styles from './branding.module.css';

/** What the server reads at most; it checks the content, too. */
const MAX_LOGO_BYTES = 100 * 1024;
const TYPES = 'image/png,image/jpeg,image/webp';

export interface LogoDraft {
  /** What is shown: the stored one, or the chosen file as a data URL. */
  readonly src: string | null;
  /** In base64, to be stored; null removes it, undefined leaves it. */
  readonly data: string | null | undefined;
}

interface LogoFieldProps {
  readonly logo: LogoDraft;
  readonly readOnly: boolean;
  readonly onChange: (logo: LogoDraft) => void;
}

/** The logo, another one, or none. */
export function LogoField({ logo, readOnly, onChange }: LogoFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const [fault, setFault] = useState<string | null>(null);
  const choose = (event: ChangeEvent<HTMLInputElement>): void => {
    const file = event.currentTarget.files?.[0];
    event.currentTarget.value = '';
    if (file === undefined) return;
    if (file.size > MAX_LOGO_BYTES) return setFault('The image has more than 100 KiB; choose a smaller one.');
    setFault(null);
    dataUrlOf(file).then(
      (src) => onChange({ src, data: src.slice(src.indexOf(',') + 1) }),
      () => setFault('The file could not be read.'),
    );
  };
  return (
    <div className="field" role="group" aria-labelledby="logo-label">
      <span className="field-label" id="logo-label">
        Logo
        <span className="field-optional">Optional</span>
      </span>
      <div className={styles.logo}>
        {logo.src !== null && <img src={logo.src} alt="The logo" />}
        {!readOnly && (
          <>
            <input
              ref={input}
              className={styles.file}
              type="file"
              accept={TYPES}
              tabIndex={-1}
              aria-label="Image file"
              onChange={choose}
            />
            <Button icon={UploadIcon} onClick={() => input.current?.click()}>
              {logo.src === null ? 'Choose an image' : 'Choose another'}
            </Button>
            {logo.src !== null && (
              <Button icon={DeleteIcon} onClick={() => onChange({ src: null, data: null })}>
                Remove
              </Button>
            )}
          </>
        )}
      </div>
      {fault === null ? (
        <p className="field-hint">PNG, JPEG or WebP, at most 100 KiB.</p>
      ) : (
        <p className="field-error" role="alert">
          {fault}
        </p>
      )}
    </div>
  );
}

function dataUrlOf(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error('The file could not be read'));
    reader.readAsDataURL(file);
  });
}
