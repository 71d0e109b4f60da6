import { useQuery } from '@tanstack/react-query';
import type { ChatRow } from '../../api/client';
import { sitesText } from '../../model/chats';
import {
  Button,
  Card,
  type Column,
  EmptyState,
  LinkButton,
  Loaded,
  Page,
  RowButton,
  ShortTable,
  SkeletonRows,
  Toolbar,
  WithPanel,
} from '../../ui';
import { MessageIcon, PlusIcon } from '../../ui/icon';
import { ChatPanel, NewChatPanel } from './chat-panel';
import { chatsQuery } from './queries';
import { chatsRoute } from './route';

/** The chats of the workspace, for visitors without an account. */
export function ChatsPage() {
  const { open, show, workflow } = chatsRoute.useSearch();
  const navigate = chatsRoute.useNavigate();
  const chats = useQuery(chatsQuery);
  const go = (slug: string | undefined, tab?: string): void =>
    void navigate({ search: { workflow, open: slug, show: tab }, replace: slug === undefined || tab !== undefined });
  const close = (): void => go(undefined);
  const create = (
    <Button edits kind="primary" icon={PlusIcon} onClick={() => go('new')}>
      New chat
    </Button>
  );
  const chat = chats.data?.data.find(({ slug }) => slug === open);
  return (
    <WithPanel panel={panelOf()}>
      <Page
        title="Chats"
        description="Workflows that visitors talk to, on a page of their own and on your web sites. Each message starts a run, whose output is the reply."
        actions={
          <>
            <LinkButton to="/branding">Branding</LinkButton>
            {create}
          </>
        }
      >
        {workflow !== undefined && (
          <Toolbar>
            <Button onClick={() => void navigate({ search: {}, replace: true })}>
              Show the chats of all workflows
            </Button>
          </Toolbar>
        )}
        <Card flush>
          <Loaded query={chats} skeleton={<SkeletonRows rows={5} label="Loading chats" />}>
            {({ data }) => {
              const rows = data.filter(({ workflow_id: id }) => workflow === undefined || id === workflow);
              return rows.length === 0 ? (
                <EmptyState icon={MessageIcon} title="No chats yet" actions={create}>
                  A chat gives a workflow a public page, and one line of code puts it on a web site.
                </EmptyState>
              ) : (
                <ShortTable
                  label="Chats"
                  columns={columnsWith(go)}
                  rows={rows}
                  rowKey={({ slug }) => slug}
                  selected={open ?? null}
                />
              );
            }}
          </Loaded>
        </Card>
      </Page>
    </WithPanel>
  );

  function panelOf() {
    if (open === 'new')
      return <NewChatPanel workflow={workflow} onClose={close} onMade={(slug) => go(slug, 'embed')} />;
    if (chat === undefined) return null;
    return <ChatPanel key={chat.slug} chat={chat} tab={show} onTab={(tab) => go(chat.slug, tab)} onClose={close} />;
  }
}

const columnsWith = (onOpen: (slug: string) => void): readonly Column<ChatRow>[] => [
  {
    key: 'title',
    title: 'Title',
    width: 'minmax(120px, 1.4fr)',
    cell: (row) => <RowButton onClick={() => onOpen(row.slug)}>{row.title}</RowButton>,
  },
  {
    key: 'workflow',
    title: 'Workflow',
    width: 'minmax(112px, 1.2fr)',
    cell: (row) => <span className="cell-muted">{row.workflow_name}</span>,
  },
  {
    key: 'slug',
    title: 'Address',
    width: 'minmax(96px, 1fr)',
    wideOnly: true,
    cell: ({ slug }) => <code>{slug}</code>,
  },
  {
    key: 'sites',
    title: 'Web sites',
    width: 'minmax(96px, 1.2fr)',
    wideOnly: true,
    cell: (row) => <span className="cell-muted">{sitesText(row)}</span>,
  },
];
