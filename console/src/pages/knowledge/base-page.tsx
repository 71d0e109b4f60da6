import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type KnowledgeBaseView } from '../../api/client';
import { formatBytes, formatCount } from '../../model/format';
import { modeText } from '../../model/knowledge';
import {
  Badge,
  Button,
  Card,
  ConfirmDialog,
  Form,
  FormFooter,
  IconButton,
  Loaded,
  Meter,
  Notice,
  Page,
  SidePanel,
  SkeletonRows,
  Tabs,
  toast,
  WithPanel,
} from '../../ui';
import { DeleteIcon, SettingsIcon } from '../../ui/icon';
import { AddPanel } from './add-panel';
import { BaseFields, bodyOf } from './base-fields';
import { DocumentPanel } from './document-panel';
import { DocumentsTab } from './documents-tab';
import styles from './knowledge.module.css';
import { baseQuery } from './queries';
import { knowledgeBaseRoute } from './routes';
import { SearchTab } from './search-tab';

/** A knowledge base: its documents, and a search that shows how hits are ranked. */
export function BasePage() {
  const { id } = knowledgeBaseRoute.useParams();
  const { show = 'documents', open, panel, q } = knowledgeBaseRoute.useSearch();
  const navigate = knowledgeBaseRoute.useNavigate();
  const base = useQuery(baseQuery(id));
  const go = (search: { open?: string; panel?: string }): void =>
    void navigate({ search: ({ show: tab, q: query }) => ({ show: tab, q: query, ...search }), replace: true });
  const close = (): void => go({});
  if (base.data === undefined)
    return (
      <Page title="Knowledge base">
        <Card flush>
          <Loaded query={base} skeleton={<SkeletonRows label="Loading the knowledge base" />}>
            {() => null}
          </Loaded>
        </Card>
      </Page>
    );
  const side =
    panel === 'settings' ? (
      <SettingsPanel base={base.data} onClose={close} />
    ) : panel === 'text' || panel === 'address' ? (
      <AddPanel key={panel} baseId={id} kind={panel} onClose={close} />
    ) : open === undefined ? null : (
      <DocumentPanel key={open} baseId={id} id={open} onClose={close} />
    );
  return (
    <WithPanel panel={side}>
      <Page
        title={base.data.name}
        aside={<Badge>{modeText(base.data.mode)}</Badge>}
        description={descriptionOf(base.data)}
        actions={<BaseActions base={base.data} onSettings={() => go({ panel: 'settings' })} />}
      >
        <ModelChange base={base.data} />
        <Tabs
          label="Knowledge base"
          tabs={[
            { key: 'documents', label: 'Documents' },
            { key: 'search', label: 'Search' },
          ]}
          active={show === 'search' ? 'search' : 'documents'}
          onChange={(key) => void navigate({ search: { show: key }, replace: true })}
        >
          {show === 'search' ? (
            <SearchTab
              base={base.data}
              query={q ?? ''}
              onSearch={(text) => void navigate({ search: { show, q: text }, replace: true })}
              onOpen={(document) => go({ open: document })}
            />
          ) : (
            <DocumentsTab
              baseId={id}
              selected={open ?? null}
              onOpen={(key) => go({ open: key })}
              onAdd={(kind) => go({ panel: kind })}
            />
          )}
        </Tabs>
      </Page>
    </WithPanel>
  );
}

const descriptionOf = ({ description, documents, chunks, bytes, embedding }: KnowledgeBaseView): string =>
  [
    description,
    `${formatCount(documents)} ${documents === 1 ? 'document' : 'documents'} in ${formatCount(chunks)} parts, ${formatBytes(bytes)}.`,
    embedding === null ? null : `Vectors by ${embedding.model}.`,
  ]
    .filter((text) => text !== null && text !== '')
    .join(' ');

/** How far a change of the embedding model is, or why it failed. */
function ModelChange({ base: { reembedding } }: { readonly base: KnowledgeBaseView }) {
  if (reembedding === null || reembedding.state === 'done') return null;
  const { state, error, done, total } = reembedding;
  return state === 'failed' ? (
    <Notice tone="danger">{`The change of the embedding model failed: ${error?.message ?? 'no reason is known'}. The vectors before stay in use.`}</Notice>
  ) : (
    <Notice>
      <div className={styles.stack}>
        The vectors of the new model are being made. Searches use the ones before until all are there.
        <Meter label="Parts" value={done} max={Math.max(total, 1)} tone="info" />
        {error !== null && `It is tried again after: ${error.message}`}
      </div>
    </Notice>
  );
}

function BaseActions({ base: { id, name }, onSettings }: { readonly base: KnowledgeBaseView; onSettings: () => void }) {
  const client = useQueryClient();
  const navigate = knowledgeBaseRoute.useNavigate();
  const [deleting, setDeleting] = useState(false);
  return (
    <>
      <Button edits icon={SettingsIcon} onClick={onSettings}>
        Settings
      </Button>
      <IconButton edits icon={DeleteIcon} kind="secondary" label={`Delete ${name}`} onClick={() => setDeleting(true)} />
      {deleting && (
        <ConfirmDialog
          title={`Delete ${name}?`}
          action="Delete the knowledge base"
          danger
          onClose={() => setDeleting(false)}
          onConfirm={async () => {
            await api.knowledge.remove({ id, force: true });
            await navigate({ to: '/knowledge' });
            client.removeQueries({ queryKey: ['knowledge', id] });
            await client.invalidateQueries({ queryKey: ['knowledge', 'list'] });
          }}
        >
          Its documents are deleted, too. Workflows that use it fail from then on.
        </ConfirmDialog>
      )}
    </>
  );
}

function SettingsPanel({ base, onClose }: { readonly base: KnowledgeBaseView; readonly onClose: () => void }) {
  const client = useQueryClient();
  return (
    <SidePanel title="Settings" onClose={onClose}>
      <Form
        label="Settings"
        onSubmit={async (values) => {
          await api.knowledge.update({ id: base.id, body: bodyOf(values, base) });
          await client.invalidateQueries({ queryKey: ['knowledge'] });
          toast('The settings are saved');
          onClose();
        }}
      >
        {({ busy }) => (
          <>
            <BaseFields base={base} />
            <p className="cell-muted">
              Another model makes the vectors of all parts anew, in the background and at the cost of that model.
            </p>
            <FormFooter action="Save" busy={busy} onClose={onClose} />
          </>
        )}
      </Form>
    </SidePanel>
  );
}
