import { type ReactNode, useState } from 'react';
import { Button, CopyText, Dialog, Form, FormFooter, type FormValues, Notice } from '../../ui';
import styles from './keys.module.css';

interface ValueProps {
  readonly title: string;
  /** What is made, such as `key`. */
  readonly what: string;
  readonly action: string;
  readonly make: (values: FormValues) => Promise<{ readonly key: string }>;
  readonly children: ReactNode;
  readonly onChanged: () => Promise<void>;
  readonly onClose: () => void;
}

/** A form that makes a value, which is then shown once. */
export function ValueDialog({ title, what, action, make, children, onChanged, onClose }: ValueProps) {
  const [value, setValue] = useState<string | null>(null);
  if (value !== null)
    return (
      <Dialog title={`The value of the ${what}`} onClose={onClose} closable={false}>
        <div className={styles.created}>
          <Notice tone="warn">Copy the value now. It is not shown again.</Notice>
          <CopyText text={value} />
          <footer className="dialog-footer">
            <Button kind="primary" onClick={onClose}>
              I have copied it
            </Button>
          </footer>
        </div>
      </Dialog>
    );
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        label={title}
        onSubmit={async (values) => {
          const { key } = await make(values);
          setValue(key);
          await onChanged();
        }}
      >
        {({ busy }) => (
          <>
            {children}
            <FormFooter action={action} busy={busy} onClose={onClose} />
          </>
        )}
      </Form>
    </Dialog>
  );
}
