import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { api, type VariableView } from '../../api/client';
import { UsedBy } from '../../app/used-by';
import { parsedValue } from '../../model/evaluations';
import {
  Button,
  CopyText,
  Field,
  Form,
  FormFooter,
  JsonView,
  KeyValues,
  SidePanel,
  Textarea,
  TextField,
  toast,
} from '../../ui';
import { EntryPanel, Removal } from './entry-panel';
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
    <EntryPanel noun="variable" name={name} query={query} onClose={onClose}>
      {(variable) => (
        <>
          <KeyValues rows={[['In expressions', <CopyText key="text" text={`{{ vars.${name} }}`} />]]} />
          {isAdmin ? <Value variable={variable} /> : <JsonView value={variable.value} />}
          <UsedBy query={used} none="No workflow names it." />
          {isAdmin && (
            <Removal
              noun="variable"
              name={name}
              uses={used.data?.data.length ?? 0}
              listKey={variablesQuery.queryKey}
              remove={() => api.workflows.remove_variable({ name })}
              onRemoved={onClose}
            />
          )}
        </>
      )}
    </EntryPanel>
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
