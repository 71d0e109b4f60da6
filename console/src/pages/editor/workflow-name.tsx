import { useState } from 'react';
import { api } from '../../api/client';
import { setValue } from '../../model/document';
import { documentOf } from '../../model/editor-state';
import { slugOf } from '../../model/slug';
import { Input, toast, toastError } from '../../ui';
import { useEditor } from './editor-context';
import styles from './editor.module.css';
import type { Storage } from './use-storage';

const NEW_NAME = 'New workflow';

/** The name of the workflow: of a new one in its document, of a stored one in its record, where it changes at once. */
export function WorkflowName({ storage }: { readonly storage: Storage }) {
  const { state, edit } = useEditor();
  const document = documentOf(state);
  const { workflow } = storage;
  const name = workflow?.name ?? (typeof document.name === 'string' ? document.name : '');
  const [typed, setTyped] = useState<string | null>(null);
  const change = (text: string): void => {
    if (workflow !== null) return setTyped(text);
    const named = setValue(document, ['name'], text === '' ? undefined : text);
    if (!named.ok) return edit(named);
    // The id follows the name until the workflow is created.
    const id = slugOf(text).replace(/^[^a-z]+/, '') || 'new-workflow';
    edit(setValue(named.document, ['id'], id), 'name');
  };
  const rename = (): void => {
    const next = typed?.trim() ?? '';
    setTyped(null);
    if (workflow === null || next === '' || next === workflow.name) return;
    api.workflows.update({ id: workflow.id, body: { name: next } }).then((renamed) => {
      storage.setWorkflow(renamed);
      toast(`The workflow is called ${renamed.name}`);
    }, toastError);
  };
  return (
    <>
      <h1 className="visually-hidden">{name === '' ? NEW_NAME : name}</h1>
      <Input
        className={styles.nameInput}
        aria-label="Name of the workflow"
        placeholder={NEW_NAME}
        maxLength={200}
        value={typed ?? name}
        onChange={({ currentTarget: { value } }) => change(value)}
        onBlur={rename}
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.currentTarget.blur();
        }}
      />
    </>
  );
}
