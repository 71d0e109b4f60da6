import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { SkillRow } from '../../api/client';
import { formatBytes } from '../../model/format';
import {
  Badge,
  Button,
  Card,
  type Column,
  EmptyState,
  Loaded,
  Page,
  RelativeTime,
  SkeletonRows,
  Table,
  Tabs,
  WithPanel,
} from '../../ui';
import { GenerateIcon, PlusIcon } from '../../ui/icon';
import { BundleButton } from './bundle-button';
import { NewSkillPanel } from './new-skill-panel';
import { skillsQuery } from './queries';
import { Registry } from './registry';
import { RegistryPanel } from './registry-panel';
import { skillsRoute } from './routes';

/** The skills of the workspace, and those that can be installed. */
export function SkillsPage() {
  const { show, q = '', open, add } = skillsRoute.useSearch();
  const navigate = skillsRoute.useNavigate();
  const skills = useQuery(skillsQuery);
  const tab = show === 'registry' ? 'registry' : 'own';
  const close = (): void =>
    void navigate({ search: ({ show: kept, q: text }) => ({ show: kept, q: text }), replace: true });
  const opened = (id: string): void => void navigate({ to: '/skills/$id', params: { id } });
  const create = (
    <Button edits kind="primary" icon={PlusIcon} onClick={() => void navigate({ search: { add: 'skill' } })}>
      New skill
    </Button>
  );
  const panel =
    add !== undefined ? (
      <NewSkillPanel onClose={close} onMade={opened} />
    ) : open === undefined ? null : (
      <RegistryPanel key={open} id={open} onClose={close} onInstalled={opened} />
    );
  return (
    <WithPanel panel={panel}>
      <Page
        title="Skills"
        description="Instructions for models in Markdown, with scripts and texts. Agents know the name and description of a skill, and read the rest when they need it."
        actions={
          <>
            <BundleButton onMade={opened} />
            {create}
          </>
        }
      >
        <Tabs
          label="Skills"
          tabs={[
            { key: 'own', label: 'Of this workspace', ...(skills.data && { count: skills.data.length }) },
            { key: 'registry', label: 'Registry' },
          ]}
          active={tab}
          onChange={(key) => void navigate({ search: key === 'registry' ? { show: key } : {}, replace: true })}
        >
          {tab === 'registry' ? (
            <Registry
              search={q}
              selected={open ?? null}
              onSearch={(text) =>
                void navigate({ search: { show: 'registry', ...(text === '' ? {} : { q: text }) }, replace: true })
              }
              onOpen={(id) => void navigate({ search: (previous) => ({ ...previous, open: id }) })}
            />
          ) : (
            <Card flush>
              <Loaded query={skills} skeleton={<SkeletonRows rows={4} label="Loading skills" />}>
                {(rows) =>
                  rows.length === 0 ? (
                    <EmptyState icon={GenerateIcon} title="No skills yet" actions={create}>
                      Write one, upload a bundle with SKILL.md, or install one of the registry.
                    </EmptyState>
                  ) : (
                    <Table label="Skills" columns={COLUMNS} rows={rows} rowKey={({ id }) => id} />
                  )
                }
              </Loaded>
            </Card>
          )}
        </Tabs>
      </Page>
    </WithPanel>
  );
}

const COLUMNS: readonly Column<SkillRow>[] = [
  {
    key: 'name',
    title: 'Name',
    width: 'minmax(120px, 1fr)',
    cell: ({ id, name }) => (
      <Link className="row-link" to="/skills/$id" params={{ id }}>
        {name}
      </Link>
    ),
  },
  {
    key: 'description',
    title: 'Description',
    width: 'minmax(72px, 2fr)',
    wideOnly: true,
    cell: ({ description }) => <span className="cell-muted">{description}</span>,
  },
  {
    key: 'state',
    title: 'State',
    width: '128px',
    cell: ({ source, published_version: published }) =>
      source?.update_available ? (
        <Badge tone="info">{`Update ${source.update_available}`}</Badge>
      ) : source === null ? (
        published === null ? (
          <Badge>Own</Badge>
        ) : (
          <Badge tone="ok">{`Published ${published}`}</Badge>
        )
      ) : (
        <Badge>{`Installed ${source.version}`}</Badge>
      ),
  },
  {
    key: 'size',
    title: 'Size',
    width: '72px',
    align: 'end',
    wideOnly: true,
    cell: ({ bytes }) => <span className="cell-muted">{formatBytes(bytes)}</span>,
  },
  {
    key: 'changed',
    title: 'Changed',
    width: '96px',
    align: 'end',
    wideOnly: true,
    cell: ({ updated_at: at }) => <RelativeTime at={at} />,
  },
];
