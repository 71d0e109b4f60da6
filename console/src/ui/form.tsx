import { createContext, type FormEvent, type ReactNode, useContext, useState } from 'react';
import { EverstepError } from '../api/client';
import { classes } from './classes';
import { Field, Input, PasswordInput } from './field';
import { Notice } from './notice';
import './form.css';

export type FormValues = Readonly<Record<string, string>>;

/** Errors of the last attempt, by the name of the field. */
const FormErrors = createContext<Readonly<Record<string, string>>>({});

interface FormProps {
  /** The values of the named controls. What it throws is shown in the form. */
  readonly onSubmit: (values: FormValues) => Promise<unknown>;
  readonly className?: string;
  readonly label?: string;
  readonly children: (state: { readonly busy: boolean }) => ReactNode;
}

/** A form that shows progress, errors of the request above, and errors of fields at the fields. */
export function Form({ onSubmit, className, label, children }: FormProps) {
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<unknown>(null);
  const { general, fields } = faultsOf(fault);

  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (busy) return;
    const values = Object.fromEntries(
      [...new FormData(event.currentTarget)].filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
    );
    setBusy(true);
    setFault(null);
    onSubmit(values)
      .catch((error: unknown) => setFault(error))
      .finally(() => setBusy(false));
  };

  return (
    <form className={classes('form', className)} onSubmit={submit} aria-label={label}>
      {general !== null && <Notice tone="danger">{general}</Notice>}
      <FormErrors value={fields}>{children({ busy })}</FormErrors>
    </form>
  );
}

interface TextFieldProps {
  readonly name: string;
  readonly label: string;
  readonly hint?: ReactNode;
  readonly type?: 'text' | 'email' | 'password' | 'number' | 'url' | 'datetime-local';
  readonly autoComplete?: string;
  readonly defaultValue?: string;
  /** Where the value also follows something else. */
  readonly value?: string;
  readonly pattern?: string;
  readonly readOnly?: boolean;
  readonly optional?: boolean;
  readonly placeholder?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly autoFocus?: boolean;
  readonly inputMode?: 'numeric';
  readonly onChange?: (value: string) => void;
  /** The value when the control is left. */
  readonly onLeave?: (value: string) => void;
}

/** A named text in a form. */
export function TextField({
  name,
  label,
  hint,
  type = 'text',
  optional = false,
  onChange,
  onLeave,
  ...rest
}: TextFieldProps) {
  const error = useContext(FormErrors)[name];
  const Control = type === 'password' ? PasswordInput : Input;
  return (
    <Field label={label} hint={hint} error={error} optional={optional}>
      <Control
        name={name}
        type={type}
        required={!optional}
        {...rest}
        onChange={onChange && ((event) => onChange(event.currentTarget.value))}
        onBlur={onLeave && ((event) => onLeave(event.currentTarget.value))}
      />
    </Field>
  );
}

/** Splits an error into a text for the form and texts for its fields. */
function faultsOf(fault: unknown): { general: string | null; fields: Record<string, string> } {
  if (fault === null) return { general: null, fields: {} };
  const details = fault instanceof EverstepError ? fault.details : [];
  const fields = Object.fromEntries(details.map(({ path, message }) => [path.split('.').at(-1) ?? path, message]));
  const message = fault instanceof Error ? fault.message : 'That did not work; try again';
  return {
    general: details.length > 0 && Object.keys(fields).length > 0 ? `${message}.`.replace('..', '.') : message,
    fields,
  };
}
