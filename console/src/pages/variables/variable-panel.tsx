import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type VariableView } from '../../api/client';
import { UsedBy, usedByText } from '../../app/used-by';
import { parsedValue } from '../../model/evaluations';
import {
  Button,
  ConfirmDialog,
  CopyText,
  EmptyState,
  Field,
  Form,
  FormFooter,
  JsonView,
  KeyValues,
  Loaded,
  SidePanel,
  Textarea,
  TextField,
  toast,
} from '../../ui';
import { DeleteIcon, ExpressionIcon } from '../../ui/icon';
import { variablesQuery, variableUsedByQuery } from './queries';
import styles from './variables.module.css';

interface VariablePanelProps {
  readonly name: string;
  readonly query: UseQueryResult<VariableView[]>;
  readonly isAdmin: boolean;
  readonly onClose: () => void;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));

function ValueField({ value }: { readonly value: string }) {
  return (
    <Field label="Value" hint="JSON such as 5, true or a list; anything else is a text.">
      <Textarea name="value" code rows={6} required defaultValue={value} spellCheck={false} />
    </Field>
  );
}

/** A variable: its value, where it is used, the end of it. */
export function VariablePanel({ name, query, isAdmin, onClose }: VariablePanelProps) {
  const used = useQuery(variableUsedByQuery(name));
  return (
    <SidePanel title={name} onClose={onClose}>
      <Loaded query={query}>
        {(rows) => {
          const found = rows.find((row) => row.name === name);
          if (found === undefined)
            return (
              <EmptyState icon={ExpressionIcon} title="No such variable">
                It was deleted.
              </EmptyState>
            );
          return (
            <>
              <KeyValues rows={[['In expressions', <CopyText key="text" text={`{{ vars.${name} }}`} />]]} />
              {isAdmin ? <Value variable={found} /> : <JsonView value={found.value} />}
              <UsedBy query={used} none="No workflow names it." />
              {isAdmin && <Removal name={name} uses={used.data?.data.length ?? 0} onRemoved={onClose} />}
            </>
          );
        }}
      </Loaded>
    </SidePanel>
  );
}

function Value({ variable: { name, value } }: { readonly variable: VariableView }) {
  const client = useQueryClient();
  return (
    <Form
      label="Variable"
      onSubmit={async ({ value: text = '' }) => {
        await api.workflows.put_variable({ name, body: { value: parsedValue('The value', text) } });
        await client.invalidateQueries({ queryKey: variablesQuery.queryKey });
        toast('The value is saved');
      }}
    >
      {({ busy }) => (
        <>
          <ValueField value={textOf(value)} />
          <div className={styles.actions}>
            <Button type="submit" kind="primary" busy={busy}>
              Save
            </Button>
          </div>
        </>
      )}
    </Form>
  );
}

interface RemovalProps {
  readonly name: string;
  /** Workflows that use it. */
  readonly uses: number;
  readonly onRemoved: () => void;
}

function Removal({ name, uses, onRemoved }: RemovalProps) {
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
          action="Delete the variable"
          danger
          onClose={() => setAsked(false)}
          onConfirm={async () => {
            await api.workflows.remove_variable({ name });
            toast('The variable is deleted');
            onRemoved();
            await client.invalidateQueries({ queryKey: variablesQuery.queryKey });
          }}
        >
          {usedByText(uses)}
        </ConfirmDialog>
      )}
    </div>
  );
}

/** Creates a variable, or replaces the one of that name. */
export function NewVariablePanel({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  return (
    <SidePanel title="New variable" onClose={onClose}>
      <Form
        label="New variable"
        onSubmit={async ({ name = '', value = '' }) => {
          await api.workflows.put_variable({ name, body: { value: parsedValue('The value', value) } });
          await client.invalidateQueries({ queryKey: variablesQuery.queryKey });
          toast(`${name} is saved`);
          onClose();
        }}
      >
        {({ busy }) => (
          <>
            <TextField name="name" label="Name" placeholder="shop_address" autoFocus />
            <ValueField value="" />
            <FormFooter action="Save" busy={busy} onClose={onClose} />
          </>
        )}
      </Form>
    </SidePanel>
  );
}
