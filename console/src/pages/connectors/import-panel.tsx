import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type ImportView } from '../../api/client';
import {
  Button,
  Field,
  Form,
  FormFooter,
  type FormValues,
  Notice,
  SidePanel,
  Textarea,
  TextField,
  toast,
  toastError,
} from '../../ui';
import { ActionItem } from './action-item';
import styles from './connectors.module.css';

interface ImportPanelProps {
  /** Names of connectors that were imported. */
  readonly taken: readonly string[];
  readonly onClose: () => void;
  readonly onImported: (name: string) => void;
}

type Source = Parameters<typeof api.connectors.import>[0]['body'];

/** Makes a connector of an OpenAPI document: what it would have is shown before it is saved. */
export function ImportPanel({ taken, onClose, onImported }: ImportPanelProps) {
  const [source, setSource] = useState<FormValues>({});
  const [preview, setPreview] = useState<{ readonly body: Source; readonly view: ImportView } | null>(null);
  return (
    <SidePanel title="Import an OpenAPI document" onClose={onClose}>
      {preview === null ? (
        <SourceForm
          values={source}
          onClose={onClose}
          onRead={async (values) => {
            setSource(values);
            const body = sourceOf(values);
            setPreview({ body, view: await api.connectors.preview_import({ body }) });
          }}
        />
      ) : (
        <Preview
          {...preview}
          isReplaced={taken.includes(preview.view.name)}
          onBack={() => setPreview(null)}
          onImported={onImported}
        />
      )}
    </SidePanel>
  );
}

function sourceOf({ name = '', title = '', url = '', document = '', base_url = '' }: FormValues): Source {
  return {
    name,
    ...(title.trim() === '' ? {} : { title }),
    ...(base_url === '' ? {} : { base_url }),
    ...(document.trim() === '' ? { url } : { document }),
  };
}

interface SourceFormProps {
  readonly values: FormValues;
  readonly onRead: (values: FormValues) => Promise<void>;
  readonly onClose: () => void;
}

function SourceForm({ values, onRead, onClose }: SourceFormProps) {
  return (
    <Form label="OpenAPI document" onSubmit={onRead}>
      {({ busy }) => (
        <>
          <TextField
            name="name"
            label="Name"
            placeholder="shop"
            hint="Lower-case letters, digits and hyphens. Steps call its actions custom-<name>.<action>."
            defaultValue={values.name ?? ''}
          />
          <TextField name="title" label="Title" optional defaultValue={values.title ?? ''} />
          <TextField
            name="url"
            label="Address of the document"
            type="url"
            placeholder="https://api.example.com/openapi.json"
            optional
            defaultValue={values.url ?? ''}
          />
          <Field label="Or its text" hint="JSON or YAML, OpenAPI 3 or Swagger 2, up to 5 MiB." optional>
            <Textarea name="document" code rows={8} spellCheck={false} defaultValue={values.document ?? ''} />
          </Field>
          <TextField
            name="base_url"
            label="Address of the server"
            type="url"
            hint="Empty: the one in the document."
            optional
            defaultValue={values.base_url ?? ''}
          />
          <FormFooter action="Preview" busy={busy} onClose={onClose} />
        </>
      )}
    </Form>
  );
}

interface PreviewProps {
  readonly body: Source;
  readonly view: ImportView;
  /** Whether there is one of that name. */
  readonly isReplaced: boolean;
  readonly onBack: () => void;
  readonly onImported: (name: string) => void;
}

function Preview({ body, view, isReplaced, onBack, onImported }: PreviewProps) {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const { name, title, base_url, actions, left } = view;
  const save = async (): Promise<void> => {
    setBusy(true);
    try {
      await api.connectors.import({ body });
      await client.invalidateQueries({ queryKey: ['connectors'] });
      toast(`${title} is imported`);
      onImported(name);
    } catch (error) {
      toastError(error);
      setBusy(false);
    }
  };
  return (
    <>
      <Notice tone={isReplaced ? 'warn' : 'info'}>
        {isReplaced
          ? `${name} exists, and is replaced. Actions that it no longer has fail in workflows that use them.`
          : 'Nothing is saved yet.'}
      </Notice>
      <p>
        <strong>{title}</strong> at <code>{base_url}</code>
      </p>
      <section className={styles.stack}>
        <h3>{`${actions.length} ${actions.length === 1 ? 'operation' : 'operations'}`}</h3>
        <ul className={styles.list}>
          {actions.map((action) => (
            <ActionItem key={action.name} action={action} />
          ))}
        </ul>
      </section>
      {left.length > 0 && (
        <section>
          <h3 className={styles.heading}>Left out</h3>
          <ul className={styles.list}>
            {left.map((line) => (
              <li key={line} className={styles.meta}>
                {line}
              </li>
            ))}
          </ul>
        </section>
      )}
      <footer className="dialog-footer">
        <Button onClick={onBack}>Back</Button>
        <Button kind="primary" busy={busy} onClick={() => void save()}>
          {isReplaced ? 'Replace the connector' : 'Import'}
        </Button>
      </footer>
    </>
  );
}
