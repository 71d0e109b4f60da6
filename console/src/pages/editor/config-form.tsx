import { type ReactNode, useState } from 'react';
import { configFields } from '../../model/config-form';
import { isObject, type JsonObject, type Path, pathText } from '../../model/document';
import { Button, IconButton, Input } from '../../ui';
import { DeleteIcon, PlusIcon } from '../../ui/icon';
import { useEditor } from './editor-context';
import styles from './editor.module.css';
import { textField, ValueField } from './value-field';

interface ConfigFormProps {
  readonly step: JsonObject;
  readonly path: Path;
  readonly onChange: (value: unknown, path: Path) => void;
}

/** Fields of the type's schema, then members that the schema does not name. */
export function ConfigForm({ step, path, onChange }: ConfigFormProps) {
  const { typeOf } = useEditor();
  const [all, setAll] = useState(false);
  const type = typeOf(step.type);
  const config = isObject(step.config) ? step.config : {};
  const fields = configFields(type?.input);
  const named = new Set(fields.map(({ name }) => name));
  const others = Object.keys(config).filter((name) => !named.has(name));
  const isFree = type !== undefined && fields.length === 0 && type.kind !== 'control';
  const shown = fields.filter(
    ({ name, required }, index) => all || required || Object.hasOwn(config, name) || index < 4,
  );
  const field = (name: string, of: (typeof fields)[number]): ReactNode => (
    <ValueField
      key={`${pathText(path)} ${name}`}
      field={of}
      path={[...path, 'config', name]}
      value={Object.hasOwn(config, name) ? config[name] : undefined}
      onChange={onChange}
    />
  );
  return (
    <>
      {shown.map((each) => field(each.name, each))}
      {shown.length < fields.length && (
        <div>
          <Button size="small" kind="ghost" onClick={() => setAll(true)}>
            {`Show ${fields.length - shown.length} more settings`}
          </Button>
        </div>
      )}
      {isFree ? (
        <FreeValues config={config} path={[...path, 'config']} onChange={onChange} />
      ) : (
        others.map((name) => field(name, { ...textField(name, name, 'Not a setting of this type.'), kind: 'json' }))
      )}
    </>
  );
}

interface FreeValuesProps {
  readonly config: JsonObject;
  readonly path: Path;
  readonly onChange: (value: unknown, path: Path) => void;
}

/** Any names with values, as a step of type set has them. */
function FreeValues({ config, path, onChange }: FreeValuesProps) {
  const [name, setName] = useState('');
  const add = (): void => {
    if (name === '' || Object.hasOwn(config, name)) return;
    onChange('', [...path, name]);
    setName('');
  };
  return (
    <>
      {Object.entries(config).map(([key, value]) => (
        <div key={key} className={styles.pairWide}>
          <ValueField
            field={{ ...textField(key, key, null), kind: 'json', required: true }}
            path={[...path, key]}
            value={value}
            onChange={(next, at) => onChange(next === undefined ? '' : next, at)}
          />
          <IconButton
            icon={DeleteIcon}
            size="small"
            label={`Remove ${key}`}
            onClick={() => onChange(undefined, [...path, key])}
          />
        </div>
      ))}
      <div className={styles.pairWide}>
        <Input
          code
          aria-label="Name of a new value"
          placeholder="name of a new value"
          value={name}
          onChange={({ currentTarget: { value } }) => setName(value)}
          onKeyDown={({ key }) => {
            if (key === 'Enter') add();
          }}
        />
        <Button icon={PlusIcon} onClick={add}>
          Add
        </Button>
      </div>
    </>
  );
}
