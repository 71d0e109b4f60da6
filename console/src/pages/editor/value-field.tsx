import { type ReactNode, useState } from 'react';
import { type ConfigField, configFields, fieldOf, isExpression, plainValue } from '../../model/config-form';
import { isObject, type Path, pathText } from '../../model/document';
import { Field, IconButton, Select } from '../../ui';
import { ExpressionIcon } from '../../ui/icon';
import { useEditor } from './editor-context';
import { LiveValue } from './live-value';
import styles from './editor.module.css';
import { ConnectionInput, ExpressionInput, JsonInput, MapInput } from './value-inputs';

interface ValueFieldProps {
  readonly field: ConfigField;
  readonly path: Path;
  readonly value: unknown;
  /** undefined removes the member. */
  readonly onChange: (value: unknown, path: Path) => void;
}

/** The control of one member of a configuration, with its problem and the value of its expression. */
export function ValueField({ field, path, value, onChange }: ValueFieldProps) {
  const { problems } = useEditor();
  const here = pathText(path);
  const problem = problems.errors.find(
    ({ path: at }) => at === here || (at.startsWith(here) && /^[.[]/.test(at.slice(here.length))),
  );
  const warning = problems.warnings.find(({ path: at }) => at === here);
  const message = problem === undefined ? null : [problem.message, problem.hint].filter(Boolean).join('; ');
  const [asExpression, setAsExpression] = useState(isExpression(value));
  const expressible = !['text', 'long', 'json'].includes(field.kind);
  const shown = expressible && (asExpression || isExpression(value));
  return (
    <div className={styles.value} data-path={here}>
      <Field
        label={field.label}
        optional={!field.required}
        error={message}
        hint={warning === undefined ? (field.hint ?? undefined) : warning.message}
      >
        <div className={styles.control}>
          {shown ? (
            <ExpressionInput value={value} path={path} onChange={onChange} placeholder="{{ steps.… }}" />
          ) : (
            <Control field={field} path={path} value={value} onChange={onChange} />
          )}
          {expressible && (
            <IconButton
              icon={ExpressionIcon}
              size="small"
              label={shown ? `${field.label}: use a plain value` : `${field.label}: use an expression`}
              aria-pressed={shown}
              onClick={() => {
                if (shown && isExpression(value)) onChange(undefined, path);
                setAsExpression(!shown);
              }}
            />
          )}
        </div>
      </Field>
      {isExpression(value) && <LiveValue template={value} />}
    </div>
  );
}

interface ControlProps {
  readonly field: ConfigField;
  readonly path: Path;
  readonly value: unknown;
  readonly onChange: (value: unknown, path: Path) => void;
}

function Control({ field, path, value, onChange }: ControlProps): ReactNode {
  if (field.name === 'connection' && field.kind === 'text') {
    return <ConnectionInput value={value} path={path} onChange={onChange} />;
  }
  const placeholder = field.fallback ?? field.example ?? undefined;
  switch (field.kind) {
    case 'choice':
      return <Choice field={field} value={value} onChange={(next) => onChange(next, path)} />;
    case 'boolean':
      return (
        <Select
          options={[
            {
              value: '',
              label: field.fallback === null ? 'Not set' : `Default: ${field.fallback === 'true' ? 'yes' : 'no'}`,
            },
            { value: 'true', label: 'Yes' },
            { value: 'false', label: 'No' },
          ]}
          value={typeof value === 'boolean' ? String(value) : ''}
          onChange={({ currentTarget: { value: text } }) => onChange(text === '' ? undefined : text === 'true', path)}
        />
      );
    case 'texts':
    case 'json':
      return <JsonInput value={value} path={path} onChange={onChange} placeholder={placeholder} />;
    case 'map':
      return <MapInput value={value} path={path} onChange={onChange} />;
    case 'object':
      return <ObjectInput field={field} value={value} path={path} onChange={onChange} />;
    default:
      return (
        <ExpressionInput
          value={value}
          path={path}
          onChange={(text, at) => onChange(typeof text === 'string' ? plainValue(text, field.schema) : text, at)}
          placeholder={placeholder}
          rows={field.kind === 'long' ? 5 : 1}
        />
      );
  }
}

function Choice({
  field,
  value,
  onChange,
}: {
  readonly field: ConfigField;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}) {
  const options = field.choices.map((choice) => ({ value: JSON.stringify(choice), label: String(choice) }));
  const none = field.fallback === null ? (field.required ? 'Choose' : 'Not set') : `Default: ${field.fallback}`;
  return (
    <Select
      options={[{ value: '', label: none }, ...options]}
      value={value === undefined ? '' : JSON.stringify(value)}
      onChange={({ currentTarget: { value: text } }) =>
        onChange(text === '' ? undefined : (JSON.parse(text) as unknown))
      }
    />
  );
}

/** An object with members of its own. */
function ObjectInput({ field, value, path, onChange }: ControlProps) {
  const held = isObject(value) ? value : {};
  return (
    <fieldset className={styles.object}>
      <legend className="visually-hidden">{field.label}</legend>
      {configFields(field.schema).map((each) => (
        <ValueField
          key={each.name}
          field={each}
          path={[...path, each.name]}
          value={Object.hasOwn(held, each.name) ? held[each.name] : undefined}
          onChange={onChange}
        />
      ))}
    </fieldset>
  );
}

/** A field that is no member of a node type's schema, such as a condition of a case. */
export const textField = (
  name: string,
  label: string,
  hint: string | null,
  example: string | null = null,
): ConfigField => ({
  ...fieldOf(name, { 'x-expression': true }, false),
  label,
  hint,
  example,
});
