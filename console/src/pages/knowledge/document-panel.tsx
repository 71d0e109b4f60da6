import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type DocumentView } from '../../api/client';
import { formatBytes, formatCount, formatInstant } from '../../model/format';
import { ingestLook } from '../../model/knowledge';
import {
  Badge,
  Button,
  ConfirmDialog,
  JsonView,
  KeyValues,
  Loaded,
  Meter,
  Notice,
  SidePanel,
  SkeletonRows,
  toastError,
} from '../../ui';
import { DeleteIcon, RetryIcon } from '../../ui/icon';
import styles from './knowledge.module.css';
import { chunksQuery, documentQuery } from './queries';

interface DocumentPanelProps {
  readonly baseId: string;
  readonly id: string;
  readonly onClose: () => void;
}

/** A document: how far it is, why it failed, where it came from, and its parts as they are searched. */
export function DocumentPanel({ baseId, id, onClose }: DocumentPanelProps) {
  const document = useQuery(documentQuery(baseId, id));
  const look = document.data && ingestLook(document.data);
  return (
    <SidePanel
      title={document.data?.name ?? 'Document'}
      aside={look && <Badge tone={look.tone}>{look.label}</Badge>}
      onClose={onClose}
    >
      <Loaded query={document} skeleton={<SkeletonRows rows={3} label="Loading the document" />}>
        {(data) => (
          <>
            {data.error !== null && (
              <Notice tone={data.status === 'failed' ? 'danger' : 'warn'}>{data.error.message}</Notice>
            )}
            {data.warnings.map((warning) => (
              <Notice key={warning} tone="warn">
                {warning}
              </Notice>
            ))}
            {data.progress !== null && data.status !== 'ready' && (
              <Meter label="Parts" value={data.progress.done} max={data.progress.total} tone="info" />
            )}
            <Actions document={data} onDeleted={onClose} />
            <Facts document={data} />
            {data.chunks > 0 && <Chunks document={data} />}
          </>
        )}
      </Loaded>
    </SidePanel>
  );
}

function Actions({ document, onDeleted }: { readonly document: DocumentView; readonly onDeleted: () => void }) {
  const { knowledge_base_id: baseId, id, name, status, source } = document;
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [deleting, setDeleting] = useState(false);
  const reload = (): Promise<void> => client.invalidateQueries({ queryKey: ['knowledge'] });
  const again = async (): Promise<void> => {
    setBusy(true);
    await api.knowledge
      .refresh({ base_id: baseId, id })
      .then(reload, toastError)
      .finally(() => setBusy(false));
  };
  const verb = status === 'failed' ? 'Try again' : source.kind === 'url' ? 'Fetch again' : 'Read anew';
  return (
    <div className={styles.actions}>
      {(status === 'ready' || status === 'failed') && (
        <Button
          edits
          kind={status === 'failed' ? 'primary' : 'secondary'}
          icon={RetryIcon}
          busy={busy}
          onClick={() => void again()}
        >
          {verb}
        </Button>
      )}
      <Button edits icon={DeleteIcon} onClick={() => setDeleting(true)}>
        Delete
      </Button>
      {deleting && (
        <ConfirmDialog
          title={`Delete ${name}?`}
          action="Delete the document"
          danger
          onClose={() => setDeleting(false)}
          onConfirm={async () => {
            await api.knowledge.remove_document({ base_id: baseId, id });
            onDeleted();
            client.removeQueries({ queryKey: documentQuery(baseId, id).queryKey });
            await reload();
          }}
        >
          No search finds it from then on.
        </ConfirmDialog>
      )}
    </div>
  );
}

function Facts({
  document: { source, size, pages, chunks, tokens, metadata, created_at },
}: {
  document: DocumentView;
}) {
  const url = source.kind === 'url' ? source : null;
  const instant = (at: string | null | undefined): string | null => (at ? formatInstant(Date.parse(at)) : null);
  return (
    <>
      <KeyValues
        rows={[
          ['Source', url === null ? (source.kind === 'upload' ? source.filename : 'Text') : null],
          [
            'Address',
            url && (
              <a key="url" href={url.url} target="_blank" rel="noreferrer">
                {url.url}
              </a>
            ),
          ],
          ['Fetched', instant(url?.checked_at)],
          ['Next check', instant(url?.next_check_at)],
          ['Size', formatBytes(size)],
          ['Pages', pages],
          ['Parts', `${formatCount(chunks)}, about ${formatCount(tokens)} tokens`],
          ['Added', instant(created_at)],
        ]}
      />
      {Object.keys(metadata).length > 0 && (
        <section>
          <h3 className={styles.heading}>Metadata</h3>
          <JsonView value={metadata} />
        </section>
      )}
    </>
  );
}

function Chunks({ document: { knowledge_base_id: baseId, id, content_hash: hash } }: { document: DocumentView }) {
  const chunks = useInfiniteQuery(chunksQuery(baseId, id, hash));
  return (
    <section>
      <h3 className={styles.heading}>Parts as they are searched</h3>
      <Loaded query={chunks} skeleton={<SkeletonRows rows={4} label="Loading parts" />}>
        {({ pages }) => (
          <ol className={styles.chunks} aria-label="Parts">
            {pages
              .flatMap(({ data }) => data)
              .map(({ id: chunk, n, heading, page, tokens, text }) => (
                <li key={chunk}>
                  <p className={styles.meta}>
                    {[`${n + 1}`, ...heading, ...(page === null ? [] : [`page ${page}`]), `${tokens} tokens`].join(
                      ' · ',
                    )}
                  </p>
                  <p className={styles.text}>{text}</p>
                </li>
              ))}
          </ol>
        )}
      </Loaded>
      {chunks.hasNextPage && (
        <Button size="small" busy={chunks.isFetchingNextPage} onClick={() => void chunks.fetchNextPage()}>
          Show more
        </Button>
      )}
    </section>
  );
}
