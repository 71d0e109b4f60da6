import { Button, Field, IconButton, Input, Select, TextField } from '../../ui';
import { CloseIcon, PlusIcon } from '../../ui/icon';
import styles from './single-sign-on.module.css';

type MappableRole = 'viewer' | 'member' | 'admin';

/** A group of the provider and the role that it gives. */
export interface Mapping {
  readonly key: number;
  readonly group: string;
  readonly role: MappableRole;
}

const ROLES = (['viewer', 'member', 'admin'] as const).map((value) => ({ value, label: value }));

export const toMappings = (values: Readonly<Record<string, MappableRole>>): Mapping[] =>
  Object.entries(values).map(([group, role], key) => ({ key, group, role }));

export const toValues = (mappings: readonly Mapping[]): Record<string, MappableRole> =>
  Object.fromEntries(mappings.flatMap(({ group, role }) => (group.trim() === '' ? [] : [[group.trim(), role]])));

interface MappingProps {
  readonly claim: string;
  readonly mappings: readonly Mapping[];
  readonly onChange: (mappings: readonly Mapping[]) => void;
}

/** Which groups give which role. */
export function MappingFields({ claim, mappings, onChange }: MappingProps) {
  const change = (key: number, to: Partial<Mapping>): void =>
    onChange(mappings.map((each) => (each.key === key ? { ...each, ...to } : each)));
  const add = (): void => {
    const key = Math.max(-1, ...mappings.map((each) => each.key)) + 1;
    onChange([...mappings, { key, group: '', role: 'member' }]);
  };
  return (
    <fieldset className={styles.mappings}>
      <legend>Roles by groups</legend>
      {mappings.length > 0 && (
        <TextField
          name="claim"
          label="Claim or attribute"
          defaultValue={claim}
          hint="Where the provider sends the groups. Groups that it provisions by SCIM decide before it."
        />
      )}
      {mappings.map(({ key, group, role }, n) => (
        <div key={key} className={styles.mapping}>
          <Field label={`Group ${n + 1}`}>
            <Input value={group} onChange={({ currentTarget: { value } }) => change(key, { group: value })} />
          </Field>
          <Field label={`Role of group ${n + 1}`}>
            <Select
              options={ROLES}
              value={role}
              onChange={({ currentTarget: { value } }) => change(key, { role: value as MappableRole })}
            />
          </Field>
          <IconButton
            icon={CloseIcon}
            label={`Remove group ${n + 1}`}
            onClick={() => onChange(mappings.filter((each) => each.key !== key))}
          />
        </div>
      ))}
      <div>
        <Button size="small" icon={PlusIcon} onClick={add}>
          Add a group
        </Button>
      </div>
    </fieldset>
  );
}
