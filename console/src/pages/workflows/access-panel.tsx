import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, EverstepError, type FolderAccess } from '../../api/client';
import { type AccessForm, bodyOf, formOf, RIGHT_TEXTS, RIGHTS, withGrant } from '../../model/folder-access';
import {
  Button,
  ConfirmDialog,
  Field,
  IconButton,
  Input,
  Loaded,
  Notice,
  Select,
  SidePanel,
  SkeletonRows,
  Switch,
  toast,
} from '../../ui';
import { DeleteIcon, PlusIcon } from '../../ui/icon';
import { folderAccessQuery } from './queries';
import styles from './workflows.module.css';

/** Who may do what with the workflows of a folder. */
export function AccessPanel({ folder, onClose }: { readonly folder: string; readonly onClose: () => void }) {
  const access = useQuery(folderAccessQuery(folder));
  return (
    <SidePanel title={`Access to ${folder}`} onClose={onClose}>
      <Loaded query={access} skeleton={<SkeletonRows rows={4} label="Loading the rules" />}>
        {(view) => <Rules key={view.revision} view={view} />}
      </Loaded>
    </SidePanel>
  );
}

function Rules({ view }: { readonly view: FolderAccess }) {
  const client = useQueryClient();
  const [form, setForm] = useState(() => formOf(view));
  const [removing, setRemoving] = useState(false);
  const { folder, revision, right } = view;
  const manages = right === 'manage';
  const changed = (): Promise<void> => client.invalidateQueries({ queryKey: ['workflows'] });
  const save = useMutation({
    mutationFn: () => api.workflows.set_folder_access({ folder, body: bodyOf(form, revision) }),
    onSuccess: async () => {
      toast(`Access to ${folder} is changed`);
      await changed();
    },
  });
  return (
    <div className={styles.stack}>
      <Notice tone="info">
        {RIGHT_TEXTS[right]}
        {!manages && ' Those who manage the folder, admins and owners change who has access.'}
      </Notice>
      <Switch
        label="Restricted: only admins, owners and those who are named here have access"
        checked={form.restricted}
        disabled={!manages}
        onChange={({ currentTarget: { checked } }) => setForm({ ...form, restricted: checked })}
      />
      <Grants form={form} manages={manages} onChange={setForm} />
      {view.inherited.map((above) => (
        <p key={above.folder} className={styles.hint}>
          {`${above.folder} is ${above.access}`}
          {above.grants.length > 0 &&
            `: ${above.grants.map((grant) => `${grant.name ?? 'a former member'} (${grant.right})`).join(', ')}`}
        </p>
      ))}
      {save.error !== null && <SaveFault fault={save.error} onReload={() => void changed()} />}
      {manages && (
        <div className={styles.actions}>
          <Button kind="primary" busy={save.isPending} onClick={() => save.mutate()}>
            Save
          </Button>
          {revision > 0 && <Button onClick={() => setRemoving(true)}>Remove the rules</Button>}
        </div>
      )}
      {removing && (
        <ConfirmDialog
          title={`Remove the rules of ${folder}?`}
          action="Remove the rules"
          onConfirm={async () => {
            await api.workflows.remove_folder_access({ folder });
            toast(`${folder} has no rules of its own`);
            await changed();
          }}
          onClose={() => setRemoving(false)}
        >
          <p>Then the rules of the folders that contain it decide, or the roles of members if there are none.</p>
        </ConfirmDialog>
      )}
    </div>
  );
}

interface GrantsProps {
  readonly form: AccessForm;
  readonly manages: boolean;
  onChange(form: AccessForm): void;
}

function Grants({ form, manages, onChange }: GrantsProps) {
  const [email, setEmail] = useState('');
  const add = (event: FormEvent): void => {
    event.preventDefault();
    if (email.trim() === '') return;
    onChange(withGrant(form, email, 'view'));
    setEmail('');
  };
  const change = (at: number, to: Partial<(typeof form.grants)[number]> | null): void =>
    onChange({
      ...form,
      grants: form.grants.flatMap((grant, index) =>
        index !== at ? [grant] : to === null ? [] : [{ ...grant, ...to }],
      ),
    });
  return (
    <>
      {form.grants.length === 0 ? (
        <p className={styles.hint}>No members are named.</p>
      ) : (
        <ul className={styles.grants} aria-label="Who is named">
          {form.grants.map(({ kind, id, name, right }, index) => (
            <li key={`${kind} ${id}`}>
              <span className={styles.grantee}>{kind === 'group' ? `Group ${name}` : name}</span>
              <Select
                aria-label={`Right of ${name}`}
                options={RIGHTS}
                value={right}
                disabled={!manages}
                onChange={({ currentTarget: { value } }) =>
                  change(index, { right: RIGHTS.find((each) => each.value === value)?.value ?? right })
                }
              />
              {manages && (
                <IconButton
                  size="small"
                  icon={DeleteIcon}
                  label={`Remove ${name}`}
                  onClick={() => change(index, null)}
                />
              )}
            </li>
          ))}
        </ul>
      )}
      {manages && (
        <form className={styles.add} onSubmit={add} aria-label="Add a member">
          <Field label="E-mail address of a member">
            <Input
              type="text"
              inputMode="email"
              value={email}
              onChange={(event) => setEmail(event.currentTarget.value)}
            />
          </Field>
          <Button type="submit" icon={PlusIcon}>
            Add
          </Button>
        </form>
      )}
    </>
  );
}

function SaveFault({ fault, onReload }: { readonly fault: Error; readonly onReload: () => void }) {
  const isConflict = fault instanceof EverstepError && fault.code === 'conflict';
  return (
    <Notice tone="danger">
      {fault.message}
      {isConflict && (
        <Button size="small" onClick={onReload}>
          Show the rules as they are now
        </Button>
      )}
    </Notice>
  );
}
