import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, type KnowledgeBaseView } from '../../api/client';
import { formatBytes, formatCount } from '../../model/format';
import { modeText } from '../../model/knowledge';
import {
  Badge,
  Button,
  Card,
  type Column,
  EmptyState,
  Form,
  FormFooter,
  Loaded,
  Page,
  RelativeTime,
  ShortTable,
  SidePanel,
  SkeletonRows,
  WithPanel,
} from '../../ui';
import { GuideIcon, PlusIcon } from '../../ui/icon';
import { BaseFields, bodyOf } from './base-fields';
import { basesQuery } from './queries';
import { knowledgeRoute } from './routes';

/** The knowledge bases of the workspace. */
export function KnowledgePage() {
  const { add } = knowledgeRoute.useSearch();
  const navigate = knowledgeRoute.useNavigate();
  const client = useQueryClient();
  const bases = useQuery(basesQuery);
  const close = (): void => void navigate({ search: {}, replace: true });
  const create = (
    <Button edits kind="primary" icon={PlusIcon} onClick={() => void navigate({ search: { add: 'base' } })}>
      New knowledge base
    </Button>
  );
  const panel =
    add === undefined ? null : (
      <SidePanel title="New knowledge base" onClose={close}>
        <Form
          label="Knowledge base"
          onSubmit={async (values) => {
            const { id } = await api.knowledge.create({ body: bodyOf(values, null) });
            await client.invalidateQueries({ queryKey: basesQuery.queryKey });
            await navigate({ to: '/knowledge/$id', params: { id } });
          }}
        >
          {({ busy }) => (
            <>
              <BaseFields base={null} />
              <FormFooter action="Create" busy={busy} onClose={close} />
            </>
          )}
        </Form>
      </SidePanel>
    );
  return (
    <WithPanel panel={panel}>
      <Page
        title="Knowledge"
        description="Documents that agents and steps look things up in: texts, files and web pages, found by words or by meaning."
        actions={create}
      >
        <Card flush>
          <Loaded query={bases} skeleton={<SkeletonRows rows={4} label="Loading knowledge bases" />}>
            {({ data }) =>
              data.length === 0 ? (
                <EmptyState icon={GuideIcon} title="No knowledge bases yet" actions={create}>
                  Create one, add documents, and let an agent cite them.
                </EmptyState>
              ) : (
                <ShortTable label="Knowledge bases" columns={COLUMNS} rows={data} rowKey={({ id }) => id} />
              )
            }
          </Loaded>
        </Card>
      </Page>
    </WithPanel>
  );
}

const COLUMNS: readonly Column<KnowledgeBaseView>[] = [
  {
    key: 'name',
    title: 'Name',
    width: 'minmax(136px, 2fr)',
    cell: ({ id, name }) => (
      <Link className="row-link" to="/knowledge/$id" params={{ id }}>
        {name}
      </Link>
    ),
  },
  {
    key: 'mode',
    title: 'Searched by',
    width: 'minmax(136px, 1fr)',
    cell: ({ mode, reembedding }) =>
      reembedding?.state === 'running' ? <Badge tone="info">Changes its model</Badge> : modeText(mode),
  },
  {
    key: 'documents',
    title: 'Documents',
    width: '88px',
    align: 'end',
    wideOnly: true,
    cell: ({ documents }) => formatCount(documents),
  },
  {
    key: 'chunks',
    title: 'Parts',
    width: '88px',
    align: 'end',
    wideOnly: true,
    cell: ({ chunks }) => formatCount(chunks),
  },
  {
    key: 'size',
    title: 'Size',
    width: '88px',
    align: 'end',
    wideOnly: true,
    cell: ({ bytes }) => <span className="cell-muted">{formatBytes(bytes)}</span>,
  },
  {
    key: 'updated',
    title: 'Changed',
    width: '104px',
    align: 'end',
    wideOnly: true,
    cell: ({ updated_at: at }) => <RelativeTime at={at} />,
  },
];
