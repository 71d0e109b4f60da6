import type { SchemaField } from '../model/schema-form';
import { Checkbox, Field, Input, Select, Textarea } from './field';

/** The controls of a form that is made of a JSON Schema; `model/schema-form` reads them. */
export function SchemaFields({ fields }: { readonly fields: readonly SchemaField[] }) {
  return (
    <>
      {fields.map((field) =>
        field.kind === 'switch' ? (
          <Checkbox key={field.name} name={field.name} label={field.label} defaultChecked={field.initial === 'true'} />
        ) : (
          <Field key={field.name} label={field.label} hint={field.hint} optional={!field.required}>
            <Control field={field} />
          </Field>
        ),
      )}
    </>
  );
}

function Control({ field: { name, kind, required, choices, initial } }: { readonly field: SchemaField }) {
  const common = { name, required, defaultValue: initial };
  switch (kind) {
    case 'choice': {
      const options = choices.map((value) => ({ value, label: value }));
      return <Select {...common} options={required ? options : [{ value: '', label: 'None' }, ...options]} />;
    }
    case 'long':
      return <Textarea {...common} rows={4} />;
    case 'json':
      return <Textarea {...common} rows={4} code spellCheck={false} placeholder="JSON" />;
    case 'number':
      return <Input {...common} type="number" step="any" />;
    default:
      return <Input {...common} />;
  }
}
