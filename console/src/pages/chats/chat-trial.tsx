import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type ChatRow, EverstepError, publicApi } from '../../api/client';
import { formatCount, formatDuration, formatUsd } from '../../model/format';
import { Button, classes, Field, Textarea } from '../../ui';
import { MessageIcon, RetryIcon } from '../../ui/icon';
import styles from './chats.module.css';

interface Message {
  readonly from: 'visitor' | 'reply' | 'failed';
  readonly text: string;
  /** The run that made it; null without one. */
  readonly run: string | null;
}

const replyText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));

/** Talks to a chat as a visitor does, with the run of each reply. */
export function ChatTrial({ chat: { slug, input_field: field, greeting } }: { readonly chat: ChatRow }) {
  const [messages, setMessages] = useState<readonly Message[]>([]);
  const [conversation, setConversation] = useState<string | null>(null);
  const [text, setText] = useState('');
  const add = (message: Message): void => setMessages((before) => [...before, message]);
  const talk = useMutation({
    mutationFn: (message: string) =>
      publicApi.chat.send({
        slug,
        body: { [field]: message, ...(conversation !== null && { conversation_id: conversation }) },
      }),
    onSuccess: ({ reply, conversation_id, execution_id }) => {
      setConversation(conversation_id);
      add({ from: 'reply', text: replyText(reply), run: execution_id });
    },
    onError: (error) => {
      const { execution_id: run } = error instanceof EverstepError ? error.body : {};
      add({ from: 'failed', text: error.message, run: typeof run === 'string' ? run : null });
    },
  });
  const send = (): void => {
    const message = text.trim();
    if (message === '' || talk.isPending) return;
    add({ from: 'visitor', text: message, run: null });
    setText('');
    talk.mutate(message);
  };
  return (
    <div className={styles.stack}>
      <p className={styles.hint}>Messages start real runs, as those of visitors do.</p>
      <div className={styles.talk} role="log" aria-label="Conversation" aria-busy={talk.isPending}>
        {greeting !== '' && <p className={classes(styles.message, styles.reply)}>{greeting}</p>}
        {messages.map((message, index) => (
          // Messages are only added.
          <Shown key={index} message={message} />
        ))}
        {talk.isPending && <p className={classes(styles.message, styles.reply)}>…</p>}
      </div>
      <form
        className={styles.send}
        aria-label="Message"
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <Field label="Your message">
          <Textarea
            rows={2}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
              event.preventDefault();
              send();
            }}
          />
        </Field>
        <div className={styles.actions}>
          <Button type="submit" kind="primary" icon={MessageIcon} busy={talk.isPending}>
            Send
          </Button>
          {messages.length > 0 && !talk.isPending && (
            <Button
              icon={RetryIcon}
              onClick={() => {
                setMessages([]);
                setConversation(null);
              }}
            >
              New conversation
            </Button>
          )}
        </div>
      </form>
    </div>
  );
}

function Shown({ message: { from, text, run } }: { readonly message: Message }) {
  return (
    <>
      <p className={classes(styles.message, styles[from])}>{text}</p>
      {run !== null && <RunFacts id={run} />}
    </>
  );
}

/** What a reply took. */
function RunFacts({ id }: { readonly id: string }) {
  const { data } = useQuery({
    queryKey: ['chats', 'run', id],
    queryFn: ({ signal }) => api.executions.get({ id }, { signal }),
  });
  return (
    <div className={styles.run}>
      <Link to="/runs/$id" params={{ id }}>
        Open the run
      </Link>
      {data !== undefined && (
        <>
          <span>{data.duration_ms === null ? data.status : formatDuration(data.duration_ms)}</span>
          <span>{`${formatCount(data.tokens)} tokens`}</span>
          <span>{formatUsd(data.cost_usd)}</span>
        </>
      )}
    </div>
  );
}
