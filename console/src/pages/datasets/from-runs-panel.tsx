import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type RowsFromRuns } from '../../api/client';
import { formatCount } from '../../model/format';
import { tagsOf } from '../../model/evaluations';
import { Button, Field, Form, type FormValues, Notice, Select, SidePanel, Textarea, TextField } from '../../ui';
import styles from './datasets.module.css';

const EXPECTED = [
  { value: 'output', label: 'The output of the run' },
  { value: 'none', label: 'Nothing' },
] as const;

/** Adds rows from past runs that a query finds. */
export function FromRunsPanel({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const client = useQueryClient();
  const [done, setDone] = useState<RowsFromRuns | null>(null);
  const add = async ({ query = '', limit = '', expected, rating = '', tags = '' }: FormValues): Promise<void> => {
    setDone(null);
    const added = await api.evaluations.add_from_runs({
      id,
      body: {
        query,
        limit: Number(limit),
        expected: expected === 'none' ? 'none' : 'output',
        ...(rating.trim() === '' ? {} : { rating: rating.trim() }),
        tags: tagsOf(tags),
      },
    });
    setDone(added);
    await client.invalidateQueries({ queryKey: ['datasets'] });
  };
  return (
    <SidePanel title="Rows from runs" onClose={onClose}>
      <Form label="Rows from runs" onSubmit={add}>
        {({ busy }) => (
          <>
            <Field label="Runs" hint="A query as in the list of runs. Runs that did not complete are left out.">
              <Textarea
                name="query"
                code
                rows={4}
                required
                spellCheck={false}
                defaultValue={'ExecutionStatus = "Completed" AND StartTime > now() - 7d'}
              />
            </Field>
            <TextField name="limit" label="At most" type="number" defaultValue="100" />
            <Field label="Expected output">
              <Select name="expected" options={EXPECTED} />
            </Field>
            <TextField
              name="rating"
              label="Only with the feedback"
              hint="The rating that a step of the run has, such as up."
              optional
            />
            <TextField name="tags" label="Tags" hint="Between commas." optional />
            <div className={styles.actions}>
              <Button type="submit" kind="primary" busy={busy}>
                Add the rows
              </Button>
            </div>
          </>
        )}
      </Form>
      {done !== null && (
        <Notice tone={done.added + done.replaced + done.unchanged > 0 ? 'ok' : 'warn'}>
          {`${formatCount(done.added)} added, ${formatCount(done.replaced)} replaced, ${formatCount(done.unchanged)} unchanged, ${formatCount(done.skipped.length)} runs skipped.`}
          {done.skipped[0] !== undefined && ` The first of them: ${done.skipped[0].reason}.`}
        </Notice>
      )}
    </SidePanel>
  );
}
