import {
  createContext,
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useContext,
  useId,
  useState,
} from 'react';
import { IconButton } from './button';
import { classes } from './classes';
import './field.css';
import { CheckIcon, ChevronDownIcon, EyeIcon, EyeOffIcon, SearchIcon } from './icon';

/** What a control takes from the field around it. */
interface FieldLink {
  readonly id: string;
  readonly describedBy: string | undefined;
  readonly invalid: boolean;
}
const FieldContext = createContext<FieldLink | null>(null);

interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | null;
  readonly optional?: boolean;
  readonly children: ReactNode;
}

/** A label with its control, a hint and the error of the last attempt. */
export function Field({ label, hint, error, optional = false, children }: FieldProps) {
  const id = useId();
  const described = error ? `${id}-error` : hint ? `${id}-hint` : undefined;
  return (
    <div className="field">
      <label htmlFor={id} className="field-label">
        {label}
        {optional && <span className="field-optional">Optional</span>}
      </label>
      <FieldContext value={{ id, describedBy: described, invalid: Boolean(error) }}>{children}</FieldContext>
      {error ? (
        <p id={`${id}-error`} className="field-error">
          {error}
        </p>
      ) : (
        hint && (
          <p id={`${id}-hint`} className="field-hint">
            {hint}
          </p>
        )
      )}
    </div>
  );
}

function useFieldProps() {
  const field = useContext(FieldContext);
  return field === null
    ? {}
    : { id: field.id, 'aria-describedby': field.describedBy, 'aria-invalid': field.invalid || undefined };
}

type InputProps = InputHTMLAttributes<HTMLInputElement> & { ref?: Ref<HTMLInputElement>; code?: boolean };

export function Input({ className, code, ...rest }: InputProps) {
  return (
    <input
      autoComplete="off"
      {...useFieldProps()}
      {...rest}
      className={classes('input', code && 'input-code', className)}
    />
  );
}

/** A password, which can be shown while it is typed. */
export function PasswordInput(props: InputProps) {
  const [shown, setShown] = useState(false);
  return (
    <span className="input-group">
      <Input {...props} type={shown ? 'text' : 'password'} autoCapitalize="none" spellCheck={false} />
      <IconButton
        className="input-action"
        size="small"
        icon={shown ? EyeOffIcon : EyeIcon}
        label={shown ? 'Hide the password' : 'Show the password'}
        aria-pressed={shown}
        onClick={() => setShown(!shown)}
      />
    </span>
  );
}

/** A search; `label` is its name for screen readers. */
export function SearchInput({ label, className, ...rest }: InputProps & { readonly label: string }) {
  return (
    <span className={classes('input-group', className)}>
      <SearchIcon size={16} className="input-icon" aria-hidden="true" />
      <Input type="search" aria-label={label} placeholder={label} {...rest} className="input-search" />
    </span>
  );
}

type TextareaProps = TextareaHTMLAttributes<HTMLTextAreaElement> & { ref?: Ref<HTMLTextAreaElement>; code?: boolean };

export function Textarea({ className, code, ...rest }: TextareaProps) {
  return (
    <textarea
      rows={4}
      {...useFieldProps()}
      {...rest}
      className={classes('input', 'textarea', code && 'input-code', className)}
    />
  );
}

interface Option {
  readonly value: string;
  readonly label: string;
}
type SelectProps = Omit<SelectHTMLAttributes<HTMLSelectElement>, 'children'> & { readonly options: readonly Option[] };

export function Select({ options, className, ...rest }: SelectProps) {
  return (
    <span className={classes('select', className)}>
      <select {...useFieldProps()} {...rest} className="input">
        {options.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <ChevronDownIcon size={16} aria-hidden="true" />
    </span>
  );
}

type CheckProps = Omit<InputHTMLAttributes<HTMLInputElement>, 'type'> & { readonly label: ReactNode };

export function Checkbox({ label, className, ...rest }: CheckProps) {
  return (
    <label className={classes('check', className)}>
      <span className="check-box">
        <input type="checkbox" {...rest} />
        <CheckIcon size={12} strokeWidth={3} aria-hidden="true" />
      </span>
      <span>{label}</span>
    </label>
  );
}

/** On or off, with effect at once. */
export function Switch({ label, className, ...rest }: CheckProps) {
  return (
    <label className={classes('check', className)}>
      <span className="switch">
        <input type="checkbox" role="switch" {...rest} />
        <span className="switch-thumb" />
      </span>
      <span>{label}</span>
    </label>
  );
}
