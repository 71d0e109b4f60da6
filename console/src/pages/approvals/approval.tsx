import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { api, type ApprovalRow } from '../../api/client';
import { parseJsonObject } from '../../model/json-input';
import { fieldsOf, valuesOf } from '../../model/schema-form';
import { Badge, Button, Card, Field, Input, Notice, RelativeTime, SchemaFields, Textarea, toast } from '../../ui';
import { CheckIcon, CloseIcon } from '../../ui/icon';
import styles from './approvals.module.css';

const JSON_FIELD = 'form as JSON';

/** One question with its form, and the two answers. */
export function Approval({ row }: { readonly row: ApprovalRow }) {
  const client = useQueryClient();
  const [busy, setBusy] = useState<'approve' | 'reject' | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const fields = fieldsOf(row.form);

  const decide = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const { submitter } = event.nativeEvent as SubmitEvent;
    const decision = submitter instanceof HTMLButtonElement && submitter.value === 'reject' ? 'reject' : 'approve';
    const typed = Object.fromEntries(
      [...new FormData(event.currentTarget)].flatMap(([name, value]) =>
        typeof value === 'string' ? [[name, value] as const] : [],
      ),
    );
    setBusy(decision);
    setFault(null);
    try {
      const form = fields === null ? parseJsonObject(typed[JSON_FIELD] ?? '') : valuesOf(fields, typed);
      const comment = typed['comment on the decision'] ?? '';
      const data = {
        approved: decision === 'approve',
        ...(comment === '' ? {} : { comment }),
        ...(row.form === null || (decision === 'reject' && Object.keys(form).length === 0) ? {} : { form }),
      };
      await api.executions.signal({ id: row.execution_id, body: { signal: `approve-${row.address}`, data } });
      toast(decision === 'approve' ? 'Approved' : 'Rejected');
      await client.invalidateQueries({ queryKey: ['approvals'] });
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(null);
    }
  };
  return (
    <Card>
      <form className={styles.approval} onSubmit={(event) => void decide(event)}>
        <header className={styles.head}>
          <Link to="/runs/$id" params={{ id: row.execution_id }}>
            {row.workflow_name}
          </Link>
          <span className="cell-muted">
            {`${row.address} · asked `}
            <RelativeTime at={row.since} />
            {row.until !== null && (
              <>
                {' · until '}
                <RelativeTime at={row.until} />
              </>
            )}
          </span>
        </header>
        <p className={styles.question}>{row.truncated ? 'Open the run to read the question.' : row.message}</p>
        {fault !== null && <Notice tone="danger">{fault}</Notice>}
        {row.mine ? (
          <>
            {fields !== null && <SchemaFields fields={fields} />}
            {fields === null && row.form !== null && (
              <Field label="Form" hint="A JSON object.">
                <Textarea name={JSON_FIELD} code rows={4} spellCheck={false} />
              </Field>
            )}
            <Field label="Comment" optional>
              <Input name="comment on the decision" maxLength={2_000} />
            </Field>
            <footer className={styles.actions}>
              <Button type="submit" value="reject" formNoValidate icon={CloseIcon} busy={busy === 'reject'}>
                Reject
              </Button>
              <Button type="submit" value="approve" kind="primary" icon={CheckIcon} busy={busy === 'approve'}>
                Approve
              </Button>
            </footer>
          </>
        ) : (
          row.approvers.length > 0 && (
            <p className={styles.approvers}>
              <span className="cell-muted">May be decided by</span>
              {row.approvers.map((approver) => (
                <Badge key={approver}>{approver}</Badge>
              ))}
            </p>
          )
        )}
      </form>
    </Card>
  );
}
