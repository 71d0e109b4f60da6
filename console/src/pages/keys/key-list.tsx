import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import {
  Button,
  Card,
  ConfirmDialog,
  EmptyState,
  Field,
  type FormValues,
  Loaded,
  RelativeTime,
  Select,
  TextField,
  toast,
} from '../../ui';
import { KeyIcon, PlusIcon } from '../../ui/icon';
import styles from './keys.module.css';
import { ValueDialog } from './value-dialog';

interface Key {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
}

interface KeyListProps<K extends Key> {
  readonly title: string;
  readonly description: ReactNode;
  readonly query: UseQueryResult<{ readonly data: readonly K[] }>;
  /** What a key is good for, where there is none. */
  readonly empty: string;
  readonly create: (values: FormValues) => Promise<{ readonly key: string }>;
  /** Fields of the form beside the name. */
  readonly fields?: ReactNode;
  /** Badges beside the name of a key. */
  readonly badges?: (key: K) => ReactNode;
  /** More about a key, after its last use. */
  readonly details?: (key: K) => ReactNode;
  /** Gives a key another value. */
  readonly rotate?: (id: string, overlapSeconds: number) => Promise<{ readonly key: string }>;
  readonly revoke: (id: string) => Promise<unknown>;
  readonly onChanged: () => Promise<void>;
}

/** Keys with their last use; a new one shows its value once. */
export function KeyList<K extends Key>({
  title,
  description,
  query,
  empty,
  create,
  fields,
  badges,
  details,
  rotate,
  revoke,
  onChanged,
}: KeyListProps<K>) {
  const [creating, setCreating] = useState(false);
  const [rotating, setRotating] = useState<Key | null>(null);
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
                    <p className={styles.head}>
                      <span className={styles.name}>{key.name}</span>
                      {badges?.(key)}
                    </p>
                    <p className={styles.meta}>
                      <code>{`${key.prefix}…`}</code> · created <RelativeTime at={key.created_at} /> ·{' '}
                      {key.last_used_at === null ? (
                        'never used'
                      ) : (
                        <>
                          used <RelativeTime at={key.last_used_at} />
                        </>
                      )}
                      {details?.(key)}
                    </p>
                  </div>
                  {rotate !== undefined && (
                    <Button edits size="small" aria-label={`Rotate ${key.name}`} onClick={() => setRotating(key)}>
                      Rotate
                    </Button>
                  )}
                  <Button size="small" aria-label={`Revoke ${key.name}`} onClick={() => setRevoking(key)}>
                    Revoke
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {creating && (
        <ValueDialog
          what="key"
          title="Create a key"
          action="Create"
          make={create}
          onChanged={onChanged}
          onClose={() => setCreating(false)}
        >
          <TextField name="name" label="Name" hint="Which program uses it." autoFocus />
          {fields}
        </ValueDialog>
      )}
      {rotating !== null && rotate !== undefined && (
        <ValueDialog
          what="key"
          title={`Rotate ${rotating.name}`}
          action="Rotate the key"
          make={({ overlap = '' }) => rotate(rotating.id, Number(overlap))}
          onChanged={onChanged}
          onClose={() => setRotating(null)}
        >
          <Field label="The value of now is accepted" hint="For the time in which programs change to the new one.">
            <Select name="overlap" options={OVERLAPS} defaultValue="86400" />
          </Field>
        </ValueDialog>
      )}
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

/** In seconds. */
const OVERLAPS = [
  { value: '0', label: 'no longer' },
  { value: '3600', label: 'for one more hour' },
  { value: '86400', label: 'for one more day' },
  { value: '604800', label: 'for one more week' },
];
