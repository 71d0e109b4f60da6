import { type QueryKey, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { usedByText } from '../../app/used-by';
import { Button, ConfirmDialog, EmptyState, Loaded, SidePanel, toast } from '../../ui';
import { DeleteIcon, ExpressionIcon } from '../../ui/icon';
import styles from './variables.module.css';

type Noun = 'variable' | 'secret';

interface EntryPanelProps<T> {
  readonly noun: Noun;
  readonly name: string;
  readonly query: UseQueryResult<T[]>;
  readonly onClose: () => void;
  readonly children: (entry: T) => ReactNode;
}

/** The panel of one variable or secret. */
export function EntryPanel<T extends { readonly name: string }>({
  noun,
  name,
  query,
  onClose,
  children,
}: EntryPanelProps<T>) {
  return (
    <SidePanel title={name} onClose={onClose}>
      <Loaded query={query}>
        {(rows) => {
          const found = rows.find((row) => row.name === name);
          return found === undefined ? (
            <EmptyState icon={ExpressionIcon} title={`No such ${noun}`}>
              It was deleted.
            </EmptyState>
          ) : (
            children(found)
          );
        }}
      </Loaded>
    </SidePanel>
  );
}

interface RemovalProps {
  readonly noun: Noun;
  readonly name: string;
  /** Workflows that use it. */
  readonly uses: number;
  readonly listKey: QueryKey;
  readonly remove: () => Promise<unknown>;
  readonly onRemoved: () => void;
}

/** Deletes a variable or secret, after a question that says what uses it. */
export function Removal({ noun, name, uses, listKey, remove, onRemoved }: RemovalProps) {
  const client = useQueryClient();
  const [asked, setAsked] = useState(false);
  return (
    <div className={styles.actions}>
      <Button icon={DeleteIcon} onClick={() => setAsked(true)}>
        Delete
      </Button>
      {asked && (
        <ConfirmDialog
          title={`Delete ${name}?`}
          action={`Delete the ${noun}`}
          danger
          onClose={() => setAsked(false)}
          onConfirm={async () => {
            await remove();
            toast(`The ${noun} is deleted`);
            onRemoved();
            await client.invalidateQueries({ queryKey: listKey });
          }}
        >
          {`${usedByText(uses)} The value cannot be restored.`}
        </ConfirmDialog>
      )}
    </div>
  );
}
