import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type ChatRow } from '../../api/client';
import { brandingQuery } from '../../app/branding';
import { chatBody, embedPolicy, embedSnippet, sitesText } from '../../model/chats';
import {
  AnchorButton,
  Button,
  CodeBlock,
  ConfirmDialog,
  CopyText,
  type FormValues,
  KeyValues,
  RelativeTime,
  SidePanel,
  Tabs,
  toast,
} from '../../ui';
import { DeleteIcon, EditIcon, ExternalIcon } from '../../ui/icon';
import { ChatForm } from './chat-form';
import { ChatTrial } from './chat-trial';
import styles from './chats.module.css';
import { chatsQuery } from './queries';

interface NewProps {
  readonly workflow: string | undefined;
  readonly onClose: () => void;
  readonly onMade: (slug: string) => void;
}

export function NewChatPanel({ workflow, onClose, onMade }: NewProps) {
  const client = useQueryClient();
  const save = async ({ workflow: id = '', slug = '', ...values }: FormValues): Promise<void> => {
    await api.workflows.create_chat({ id, body: { slug, ...chatBody(values) } });
    await client.invalidateQueries({ queryKey: chatsQuery.queryKey });
    toast('The chat is open to visitors');
    onMade(slug);
  };
  return (
    <SidePanel title="New chat" onClose={onClose}>
      <ChatForm chat={null} workflow={workflow} action="Create the chat" onSave={save} onClose={onClose} />
    </SidePanel>
  );
}

const TABS = [
  { key: 'talk', label: 'Talk to it' },
  { key: 'embed', label: 'Embed' },
  { key: 'about', label: 'Settings' },
] as const;

interface PanelProps {
  readonly chat: ChatRow;
  readonly tab: string | undefined;
  readonly onTab: (tab: string) => void;
  readonly onClose: () => void;
}

/** One chat: a conversation with it, how it gets onto a web site, its settings. */
export function ChatPanel({ chat, tab, onTab, onClose }: PanelProps) {
  const active = TABS.find(({ key }) => key === tab)?.key ?? 'talk';
  return (
    <SidePanel title={chat.title} onClose={onClose}>
      <div className={styles.actions}>
        <AnchorButton icon={ExternalIcon} href={chat.url} target="_blank" rel="noopener">
          Open the page
        </AnchorButton>
      </div>
      <Tabs label="About the chat" tabs={TABS} active={active} onChange={onTab}>
        {active === 'talk' && <ChatTrial chat={chat} />}
        {active === 'embed' && <Embed chat={chat} />}
        {active === 'about' && <Settings chat={chat} onDeleted={onClose} />}
      </Tabs>
    </SidePanel>
  );
}

function Embed({ chat }: { readonly chat: ChatRow }) {
  const { data: branding } = useQuery(brandingQuery);
  return (
    <div className={styles.stack}>
      <p className={styles.hint}>This line in a page of a web site shows a button there, which opens the chat.</p>
      <CodeBlock label="Line for the web site" text={embedSnippet(chat, branding?.color ?? null)} wrap />
      <p className={styles.hint}>A web site with a Content-Security-Policy has to allow these sources.</p>
      <CodeBlock label="Sources" text={embedPolicy(chat)} wrap />
      <p className={styles.hint}>The page for visitors has an address of its own.</p>
      <CodeBlock label="Address of the page" text={chat.url} wrap />
      <KeyValues rows={[['Web sites', sitesText(chat)]]} />
    </div>
  );
}

function Settings({ chat, onDeleted }: { readonly chat: ChatRow; readonly onDeleted: () => void }) {
  const client = useQueryClient();
  const [editing, setEditing] = useState(false);
  const [deleting, setDeleting] = useState(false);
  const { slug, workflow_id: id, title } = chat;
  const save = async (values: FormValues): Promise<void> => {
    await api.workflows.update_chat({ id, slug, body: chatBody(values) });
    await client.invalidateQueries({ queryKey: chatsQuery.queryKey });
    toast('The chat is saved');
    setEditing(false);
  };
  if (editing) return <ChatForm chat={chat} action="Save" onSave={save} onClose={() => setEditing(false)} />;
  return (
    <div className={styles.stack}>
      <KeyValues
        rows={[
          [
            'Workflow',
            <Link key="workflow" to="/workflows/$id" params={{ id }}>
              {chat.workflow_name}
            </Link>,
          ],
          ['Address', <CopyText key="slug" text={slug} />],
          ['Greeting', chat.greeting || null],
          ['Web sites', sitesText(chat)],
          ['Messages', `${chat.rate_limit.per_minute} a minute, ${chat.rate_limit.burst} at once`],
          ['Field of messages', <code key="input">{chat.input_field}</code>],
          ['Path of replies', <code key="output">{chat.output_field}</code>],
          ['Created', <RelativeTime key="created" at={chat.created_at} />],
        ]}
      />
      <div className={styles.actions}>
        <Button edits icon={EditIcon} onClick={() => setEditing(true)}>
          Edit
        </Button>
        <Button edits kind="danger" icon={DeleteIcon} onClick={() => setDeleting(true)}>
          Delete
        </Button>
      </div>
      {deleting && (
        <ConfirmDialog
          title={`Delete ${title}?`}
          action="Delete the chat"
          danger
          onConfirm={async () => {
            await api.workflows.remove_chat({ id, slug });
            toast(`${title} is deleted`);
            onDeleted();
            await client.invalidateQueries({ queryKey: chatsQuery.queryKey });
          }}
          onClose={() => setDeleting(false)}
        >
          Its page and its widgets stop working at once, and conversations end.
        </ConfirmDialog>
      )}
    </div>
  );
}
