import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ChatRow } from '../../api/client';
import { slugOf } from '../../model/slug';
import { Field, Form, FormFooter, type FormValues, Select, Textarea, TextField } from '../../ui';
import styles from './chats.module.css';
import { workflowChoicesQuery } from './queries';

interface ChatFormProps {
  /** Null: a new one. */
  readonly chat: ChatRow | null;
  /** The workflow of a new chat unless another is chosen. */
  readonly workflow?: string | undefined;
  readonly action: string;
  readonly onSave: (values: FormValues) => Promise<unknown>;
  readonly onClose: () => void;
}

/** The settings of a chat. Address and workflow stay once it is made. */
export function ChatForm({ chat, workflow, action, onSave, onClose }: ChatFormProps) {
  const [title, setTitle] = useState('');
  const [slug, setSlug] = useState<string | null>(null);
  return (
    <Form label="Chat" onSubmit={onSave}>
      {({ busy }) => (
        <>
          {chat === null && <WorkflowField initial={workflow ?? ''} />}
          <TextField
            name="title"
            label="Title"
            maxLength={200}
            autoFocus
            {...(chat === null ? { value: title, onChange: setTitle } : { defaultValue: chat.title })}
          />
          {chat === null && (
            <TextField
              name="slug"
              label="Address"
              hint="Lower-case letters, digits and hyphens. It is part of the public address, and stays."
              value={slug ?? slugOf(title)}
              onChange={setSlug}
            />
          )}
          <Field label="Greeting" hint="The first text that visitors see." optional>
            <Textarea name="greeting" rows={2} maxLength={2_000} defaultValue={chat?.greeting ?? ''} />
          </Field>
          <Field
            label="Web sites"
            hint="One a line, such as https://www.example.com. Without any, all may show it."
            optional
          >
            <Textarea name="origins" code rows={2} defaultValue={chat?.allowed_origins.join('\n') ?? ''} />
          </Field>
          <div className={styles.pair}>
            <TextField name="input_field" label="Field of messages" defaultValue={chat?.input_field ?? 'message'} />
            <TextField name="output_field" label="Path of replies" defaultValue={chat?.output_field ?? 'text'} />
          </div>
          <div className={styles.pair}>
            <TextField
              name="per_minute"
              label="Messages a minute"
              inputMode="numeric"
              hint="Of one visitor."
              defaultValue={String(chat?.rate_limit.per_minute ?? 20)}
            />
            <TextField
              name="burst"
              label="Messages at once"
              inputMode="numeric"
              defaultValue={String(chat?.rate_limit.burst ?? 10)}
            />
          </div>
          <FormFooter action={action} busy={busy} onClose={onClose} />
        </>
      )}
    </Form>
  );
}

function WorkflowField({ initial }: { readonly initial: string }) {
  const { data } = useQuery(workflowChoicesQuery);
  const options = (data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }));
  return (
    <Field label="Workflow" hint="Each message starts a run of it; the output of the run is the reply.">
      <Select key={options.length} name="workflow" required defaultValue={initial} options={options} />
    </Field>
  );
}
