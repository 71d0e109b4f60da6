import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type DatasetRow } from '../../api/client';
import { parsedValue, tagsOf } from '../../model/evaluations';
import { Button, ConfirmDialog, Field, Form, type FormValues, SidePanel, Textarea, TextField, toast } from '../../ui';
import { DeleteIcon } from '../../ui/icon';
import styles from './datasets.module.css';

interface RowPanelProps {
  readonly id: string;
  /** Null for a new row. */
  readonly row: DatasetRow | null;
  readonly onClose: () => void;
}

const textOf = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value, null, 2));

/** Adds or changes a row. */
export function RowPanel({ id, row, onClose }: RowPanelProps) {
  const client = useQueryClient();
  const [deleting, setDeleting] = useState(false);
  const reload = (): Promise<void> => client.invalidateQueries({ queryKey: ['datasets'] });
  const save = async ({ row_id = '', input = '', expected = '', tags = '' }: FormValues): Promise<void> => {
    const content = {
      input: parsedValue('Input', input),
      ...(expected.trim() === '' ? {} : { expected: parsedValue('Expected output', expected) }),
      tags: tagsOf(tags),
    };
    const named = row?.id ?? row_id.trim();
    if (named === '') await api.evaluations.add_rows({ id, body: { rows: [content] } });
    else await api.evaluations.put_row({ id, row_id: named, body: content });
    await reload();
    toast(row === null ? 'The row is added' : 'The row is saved');
    onClose();
  };
  return (
    <SidePanel title={row === null ? 'New row' : `Row ${row.id}`} onClose={onClose}>
      <Form label="Row" onSubmit={save}>
        {({ busy }) => (
          <>
            {row === null && (
              <TextField name="row_id" label="Id" hint="Unique in the data set; made up unless given." optional />
            )}
            <Field label="Input" hint="JSON, or a text.">
              <Textarea name="input" code rows={10} required defaultValue={textOf(row?.input)} spellCheck={false} />
            </Field>
            <Field label="Expected output" hint="Empty where nothing is expected." optional>
              <Textarea name="expected" code rows={6} defaultValue={textOf(row?.expected)} spellCheck={false} />
            </Field>
            <TextField
              name="tags"
              label="Tags"
              hint="Between commas."
              optional
              defaultValue={row?.tags.join(', ') ?? ''}
            />
            <div className={styles.actions}>
              <Button edits type="submit" kind="primary" busy={busy}>
                {row === null ? 'Add the row' : 'Save'}
              </Button>
              {row !== null && (
                <Button edits icon={DeleteIcon} kind="ghost" onClick={() => setDeleting(true)}>
                  Delete
                </Button>
              )}
            </div>
          </>
        )}
      </Form>
      {deleting && row !== null && (
        <ConfirmDialog
          title={`Delete row ${row.id}?`}
          action="Delete the row"
          danger
          onClose={() => setDeleting(false)}
          onConfirm={async () => {
            await api.evaluations.remove_row({ id, row_id: row.id });
            await reload();
            onClose();
          }}
        >
          Evaluations that used it keep it.
        </ConfirmDialog>
      )}
    </SidePanel>
  );
}
