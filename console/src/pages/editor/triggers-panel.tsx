import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type WorkflowView } from '../../api/client';
import { isObject, type Path, pathText, setValue } from '../../model/document';
import { documentOf } from '../../model/editor-state';
import {
  TRIGGER_CHOICES,
  triggerFields,
  type TriggerPlace,
  triggersOf,
  triggerTitle,
  withoutTrigger,
  withTrigger,
} from '../../model/trigger-form';
import {
  AnchorButton,
  Button,
  Card,
  CodeBlock,
  CopyText,
  Field,
  IconButton,
  Notice,
  Select,
  SidePanel,
  toast,
  toastError,
} from '../../ui';
import { DeleteIcon, ExternalIcon, PlusIcon } from '../../ui/icon';
import { useEditor } from './editor-context';
import { InputsField } from './inputs-field';
import styles from './editor.module.css';
import { ChatAddresses, NextTimes } from './trigger-state';
import type { Storage } from './use-storage';
import { ValueField } from './value-field';

interface TriggersPanelProps {
  readonly storage: Storage;
  readonly onClose: () => void;
}

/** What starts the workflow: settings, address, next times. */
export function TriggersPanel({ storage, onClose }: TriggersPanelProps) {
  const { state, dispatch } = useEditor();
  const document = documentOf(state);
  const triggers = triggersOf(document);
  return (
    <SidePanel title="Triggers" onClose={onClose}>
      {triggers.map((place) => (
        <TriggerCard key={pathText(place.path)} place={place} storage={storage} removable={triggers.length > 1} />
      ))}
      <div>
        <Button
          icon={PlusIcon}
          onClick={() => dispatch({ kind: 'replace', document: withTrigger(document, 'schedule') })}
        >
          Add a trigger
        </Button>
      </div>
      <InputsField />
    </SidePanel>
  );
}

interface TriggerCardProps {
  readonly place: TriggerPlace;
  readonly storage: Storage;
  readonly removable: boolean;
}

function TriggerCard({ place, storage, removable }: TriggerCardProps) {
  const { state, edit, dispatch, problems } = useEditor();
  const document = documentOf(state);
  const { trigger, type, path } = place;
  const config = isObject(trigger.config) ? trigger.config : {};
  const set = (value: unknown, at: Path): void => edit(setValue(document, at, value), pathText(at));
  const here = pathText(path);
  const general = problems.errors.filter(
    ({ path: at }) => at === here || at === `${here}.type` || at === `${here}.config`,
  );
  const known = TRIGGER_CHOICES.some(({ value }) => value === type);
  return (
    <Card
      title={triggerTitle(type)}
      actions={
        removable && (
          <IconButton
            icon={DeleteIcon}
            size="small"
            label={`Remove the trigger ${triggerTitle(type)}`}
            onClick={() => dispatch({ kind: 'replace', document: withoutTrigger(document, path) })}
          />
        )
      }
    >
      <div className={styles.docs}>
        {general.map(({ message, hint }) => (
          <Notice key={message} tone="danger">
            {[message, hint].filter(Boolean).join('; ')}
          </Notice>
        ))}
        <Field label="Type">
          <Select
            options={
              known ? TRIGGER_CHOICES : [{ value: type, label: type === '' ? 'Choose' : type }, ...TRIGGER_CHOICES]
            }
            value={type}
            onChange={({ currentTarget: { value } }) => set({ type: value, config: {} }, path)}
          />
        </Field>
        {storage.workflow === null ? (
          <p className="cell-muted">Its address and its next times are known once the workflow is created.</p>
        ) : (
          <Live type={type} workflow={storage.workflow} storage={storage} />
        )}
        {triggerFields(type).map((field) => (
          <ValueField
            key={`${here} ${type} ${field.name}`}
            field={field}
            path={[...path, 'config', field.name]}
            value={Object.hasOwn(config, field.name) ? config[field.name] : undefined}
            onChange={set}
          />
        ))}
      </div>
    </Card>
  );
}

/** What is live of a trigger now, which may differ from the draft. */
function Live({
  type,
  workflow,
  storage,
}: {
  readonly type: string;
  readonly workflow: WorkflowView;
  readonly storage: Storage;
}) {
  if (type === 'http') return <Webhook workflow={workflow} storage={storage} />;
  if (type === 'form') return <FormAddress id={workflow.id} hash={workflow.dsl_hash} />;
  if (type === 'manual') return <PublicRun workflow={workflow} />;
  if (type === 'chat') return <ChatAddresses id={workflow.id} />;
  return <NextTimes id={workflow.id} hash={workflow.dsl_hash} />;
}

function Webhook({ workflow, storage }: { readonly workflow: WorkflowView; readonly storage: Storage }) {
  const address = `${location.origin}/webhooks/${workflow.id}`;
  const [key, setKey] = useState<string | null>(null);
  const header = workflow.webhook_api_key_set
    ? `\n  -H 'x-api-key: ${key ?? workflow.webhook_api_key ?? 'KEY'}' \\`
    : '';
  const protect = async (next: string | null): Promise<void> => {
    const updated = await api.workflows.update({ id: workflow.id, body: { webhook_api_key: next } });
    storage.setWorkflow(updated);
    setKey(next);
    toast(next === null ? 'The webhook needs no key any more' : 'The webhook needs the key from now on');
  };
  return (
    <>
      <Field label="Address">
        <CopyText text={address} />
      </Field>
      <CodeBlock
        wrap
        label="Request with curl"
        text={`curl -X POST '${address}/sync' \\${header}\n  -H 'content-type: application/json' \\\n  -d '{"hello": "world"}'`}
      />
      <p className="cell-muted">
        With /sync the answer is the output of the run; without it, the run goes on by itself.
      </p>
      {key !== null && (
        <Notice tone="info">
          Copy the key now; it is not shown again: <CopyText text={key} />
        </Notice>
      )}
      <div className={styles.chips}>
        <Button edits size="small" onClick={() => void protect(randomKey()).catch(toastError)}>
          {workflow.webhook_api_key_set ? 'Make another key' : 'Ask for a key'}
        </Button>
        {workflow.webhook_api_key_set && (
          <Button edits size="small" kind="ghost" onClick={() => void protect(null).catch(toastError)}>
            Remove the key
          </Button>
        )}
      </div>
    </>
  );
}

/** The page of the form; its fields are the inputs of the document. */
function FormAddress({ id, hash }: { readonly id: string; readonly hash: string }) {
  const { data } = useQuery({
    queryKey: ['workflows', id, 'form', hash],
    queryFn: ({ signal }) => api.workflows.form({ id }, { signal }),
  });
  const makeLink = async (): Promise<void> => {
    const { url, expires_at } = await api.workflows.create_form_link({ id, body: {} });
    await navigator.clipboard.writeText(url);
    toast(`A link that works once is copied; it expires ${new Date(expires_at).toLocaleDateString()}`);
  };
  if (data === undefined) return null;
  return (
    <>
      <Field label="Address of the form">
        <CopyText text={data.url} />
      </Field>
      <p className="cell-muted">
        {data.live
          ? 'Its fields are the inputs below, of the published version.'
          : 'The address works once a version with this trigger is published.'}
      </p>
      {data.live && (
        <div className={styles.chips}>
          <AnchorButton size="small" icon={ExternalIcon} href={data.url} target="_blank" rel="noreferrer">
            Open the form
          </AnchorButton>
          <Button size="small" onClick={() => void makeLink().catch(toastError)}>
            Copy a link that works once
          </Button>
        </div>
      )}
    </>
  );
}

const KEY_BYTES = 24;

const randomKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(KEY_BYTES))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

function PublicRun({ workflow }: { readonly workflow: WorkflowView }) {
  const [key, setKey] = useState<string | null>(null);
  const create = async (): Promise<void> => {
    const created = await api.workflows.create_key({ id: workflow.id, body: { name: 'From the editor' } });
    setKey(created.key);
  };
  const address = `${location.origin}/run/${workflow.id}`;
  return (
    <>
      <p>It starts from this page, from the list of workflows, and with a key from any program.</p>
      {key === null ? (
        <div>
          <Button edits size="small" onClick={() => void create().catch(toastError)}>
            Make a key for programs
          </Button>
        </div>
      ) : (
        <>
          <Notice tone="info">Copy the key now; it is not shown again.</Notice>
          <CodeBlock
            wrap
            label="Request with curl"
            text={`curl -X POST '${address}' \\\n  -H 'authorization: Bearer ${key}' \\\n  -d '{}'`}
          />
        </>
      )}
    </>
  );
}
