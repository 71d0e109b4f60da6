import { useInfiniteQuery } from '@tanstack/react-query';
import type { MemberView } from '../../api/client';
import { useMe } from '../../app/queries';
import {
  Badge,
  Button,
  Card,
  type Column,
  EmptyState,
  Loaded,
  Page,
  RelativeTime,
  RowButton,
  ShortTable,
  SkeletonRows,
  WithPanel,
} from '../../ui';
import { PlusIcon, UserIcon } from '../../ui/icon';
import { InviteList } from './invite-list';
import { InvitePanel } from './invite-panel';
import { MemberPanel } from './member-panel';
import styles from './members.module.css';
import { membersQuery } from './queries';
import { membersRoute } from './route';
import { ServiceAccountPanel } from './service-account-panel';

/** Who works in the workspace, with which role, and who is invited. */
export function MembersPage() {
  const { open } = membersRoute.useSearch();
  const navigate = membersRoute.useNavigate();
  const me = useMe();
  const show = (id: string | undefined): void => void navigate({ search: { open: id }, replace: id === undefined });
  const close = (): void => show(undefined);
  const mayManage = me.data?.role === 'owner' || me.data?.role === 'admin';
  return (
    <WithPanel
      panel={
        open === undefined || !mayManage ? null : open === 'invite' ? (
          <InvitePanel onClose={close} />
        ) : open === 'service' ? (
          <ServiceAccountPanel onClose={close} onMade={show} />
        ) : (
          <MemberPanel key={open} id={open} onClose={close} />
        )
      }
    >
      <Page
        title="Members"
        description="Who works in this workspace, and what each may do."
        actions={
          mayManage && (
            <>
              <Button onClick={() => show('service')}>New service account</Button>
              <Button kind="primary" icon={PlusIcon} onClick={() => show('invite')}>
                Invite
              </Button>
            </>
          )
        }
      >
        <Loaded query={me} skeleton={<SkeletonRows rows={4} label="Loading members" />}>
          {({ id }) =>
            mayManage ? (
              <>
                <MemberList me={id} selected={open ?? null} onOpen={show} />
                <InviteList />
              </>
            ) : (
              <Card>
                <EmptyState icon={UserIcon} title="Admins see the members">
                  Ask an admin or owner of the workspace to invite someone, or to change a role.
                </EmptyState>
              </Card>
            )
          }
        </Loaded>
      </Page>
    </WithPanel>
  );
}

interface ListProps {
  readonly me: string;
  readonly selected: string | null;
  readonly onOpen: (id: string) => void;
}

function MemberList({ me, selected, onOpen }: ListProps) {
  const members = useInfiniteQuery(membersQuery);
  return (
    <Card flush>
      <Loaded query={members} skeleton={<SkeletonRows rows={4} label="Loading members" />}>
        {({ pages }) => (
          <>
            <ShortTable
              label="Members"
              columns={columnsFor(me, onOpen)}
              rows={pages.flatMap(({ data }) => data)}
              rowKey={({ id }) => id}
              selected={selected}
            />
            {members.hasNextPage && (
              <div className={styles.more}>
                <Button size="small" busy={members.isFetchingNextPage} onClick={() => void members.fetchNextPage()}>
                  Show more
                </Button>
              </div>
            )}
          </>
        )}
      </Loaded>
    </Card>
  );
}

const columnsFor = (me: string, onOpen: (id: string) => void): readonly Column<MemberView>[] => [
  {
    key: 'email',
    title: 'Member',
    width: 'minmax(140px, 2fr)',
    cell: (row) => (
      <RowButton onClick={() => onOpen(row.id)}>{row.id === me ? `${row.email} (you)` : row.email}</RowButton>
    ),
  },
  {
    key: 'kind',
    title: 'Kind',
    width: '136px',
    wideOnly: true,
    cell: (row) =>
      row.kind === 'service' ? <Badge tone="info">Service account</Badge> : <span className="cell-muted">Person</span>,
  },
  {
    key: 'role',
    title: 'Role',
    width: '104px',
    cell: (row) => (row.active ? <Badge>{row.role}</Badge> : <Badge tone="warn">deactivated</Badge>),
  },
  {
    key: 'factor',
    title: 'Second factor',
    width: '120px',
    wideOnly: true,
    cell: (row) => (row.second_factor ? <Badge tone="ok">Yes</Badge> : <span className="cell-muted">No</span>),
  },
  {
    key: 'last',
    title: 'Last sign-in',
    width: '140px',
    wideOnly: true,
    cell: (row) =>
      row.last_sign_in_at === null ? (
        <span className="cell-muted">never</span>
      ) : (
        <span className="cell-muted">
          <RelativeTime at={row.last_sign_in_at} />
        </span>
      ),
  },
];
