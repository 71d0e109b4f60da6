import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import {
  Button,
  Card,
  ConfirmDialog,
  CopyText,
  Dialog,
  EmptyState,
  Form,
  FormFooter,
  Loaded,
  Notice,
  RelativeTime,
  TextField,
  toast,
} from '../../ui';
import { KeyIcon, PlusIcon } from '../../ui/icon';
import styles from './keys.module.css';

interface Key {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
}

interface KeyListProps {
  readonly title: string;
  readonly description: ReactNode;
  readonly query: UseQueryResult<{ readonly data: readonly Key[] }>;
  /** What a key is good for, where there is none. */
  readonly empty: string;
  readonly create: (name: string) => Promise<{ readonly key: string }>;
  readonly revoke: (id: string) => Promise<unknown>;
  readonly onChanged: () => Promise<void>;
}

/** Keys with their last use; a new one shows its value once. */
export function KeyList({ title, description, query, empty, create, revoke, onChanged }: KeyListProps) {
  const [creating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<Key | null>(null);
  return (
    <Card
      title={title}
      description={description}
      flush
      actions={
        <Button edits size="small" icon={PlusIcon} onClick={() => setCreating(true)}>
          Create a key
        </Button>
      }
    >
      <Loaded query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState icon={KeyIcon} title="No keys">
              {empty}
            </EmptyState>
          ) : (
            <ul className={styles.list}>
              {data.map((key) => (
                <li key={key.id} className={styles.item}>
                  <div className={styles.text}>
                    <p className={styles.name}>{key.name}</p>
                    <p className={styles.meta}>
                      <code>{`${key.prefix}…`}</code> · created <RelativeTime at={key.created_at} /> ·{' '}
                      {key.last_used_at === null ? (
                        'never used'
                      ) : (
                        <>
                          used <RelativeTime at={key.last_used_at} />
                        </>
                      )}
                    </p>
                  </div>
                  <Button size="small" aria-label={`Revoke ${key.name}`} onClick={() => setRevoking(key)}>
                    Revoke
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {creating && <CreateDialog create={create} onChanged={onChanged} onClose={() => setCreating(false)} />}
      {revoking !== null && (
        <ConfirmDialog
          title={`Revoke ${revoking.name}?`}
          action="Revoke the key"
          danger
          onConfirm={async () => {
            await revoke(revoking.id);
            toast('The key is revoked');
            await onChanged();
          }}
          onClose={() => setRevoking(null)}
        >
          Programs that use it are refused from now on. This cannot be undone.
        </ConfirmDialog>
      )}
    </Card>
  );
}

interface CreateProps extends Pick<KeyListProps, 'create' | 'onChanged'> {
  readonly onClose: () => void;
}

function CreateDialog({ create, onChanged, onClose }: CreateProps) {
  const [value, setValue] = useState<string | null>(null);
  if (value !== null)
    return (
      <Dialog title="The key is created" onClose={onClose} closable={false}>
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
    <Dialog title="Create a key" onClose={onClose}>
      <Form
        label="Create a key"
        onSubmit={async ({ name = '' }) => {
          const { key } = await create(name);
          setValue(key);
          await onChanged();
        }}
      >
        {({ busy }) => (
          <>
            <TextField name="name" label="Name" hint="Which program uses it." autoFocus />
            <FormFooter action="Create" busy={busy} onClose={onClose} />
          </>
        )}
      </Form>
    </Dialog>
  );
}
