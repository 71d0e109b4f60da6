import { Button, Field, Form, type FormValues, Input } from '../../ui';
import styles from './audit.module.css';
import type { AuditFilters } from './route';

interface FiltersProps {
  readonly filters: AuditFilters;
  readonly onFilter: (filters: AuditFilters) => void;
}

const FIELDS = [
  { name: 'actor', label: 'By', placeholder: 'E-mail address or id' },
  { name: 'action', label: 'Action', placeholder: 'workflow. or workflow.update' },
  { name: 'target', label: 'Target', placeholder: 'Id of what was changed' },
] as const;
const DAYS = [
  { name: 'from', label: 'From' },
  { name: 'to', label: 'To' },
] as const;

const NAMES = [...FIELDS, ...DAYS].map(({ name }) => name);

/** What of the log is shown; all that is given must match. */
export function Filters({ filters, onFilter }: FiltersProps) {
  const submit = async (values: FormValues): Promise<void> =>
    onFilter(Object.fromEntries(NAMES.map((name) => [name, values[name]?.trim() || undefined])));
  return (
    <Form label="Filters" className={styles.filters} onSubmit={submit}>
      {() => (
        <>
          {FIELDS.map(({ name, label, placeholder }) => (
            <Field key={name} label={label}>
              <Input name={name} defaultValue={filters[name] ?? ''} placeholder={placeholder} />
            </Field>
          ))}
          {DAYS.map(({ name, label }) => (
            <Field key={name} label={label}>
              <Input name={name} type="date" defaultValue={filters[name] ?? ''} />
            </Field>
          ))}
          <div className={styles.apply}>
            <Button type="submit">Show</Button>
          </div>
        </>
      )}
    </Form>
  );
}
