import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type VersionRow } from '../../api/client';
import { Button, EmptyState, Loaded, RelativeTime, SidePanel, toast, toastError } from '../../ui';
import { VersionsIcon } from '../../ui/icon';
import { DiffView } from './diff-view';
import { useEditor } from './editor-context';
import styles from './editor.module.css';
import type { Storage } from './use-storage';

interface VersionsPanelProps {
  readonly storage: Storage;
  readonly onClose: () => void;
}

const MAX_ROWS = 100;

/** Earlier versions, what has changed since, and taking one back into the draft. */
export function VersionsPanel({ storage, onClose }: VersionsPanelProps) {
  const id = storage.workflow?.id;
  const versions = useQuery({
    queryKey: ['workflows', id, 'versions'],
    queryFn: ({ signal }) => api.workflows.versions({ id: id ?? '', limit: MAX_ROWS }, { signal }),
    enabled: id !== undefined,
  });
  return (
    <SidePanel title="Versions" onClose={onClose}>
      <p>{liveSentence(storage)}</p>
      {id !== undefined && (
        <Loaded query={versions}>
          {({ data }) =>
            data.length === 0 ? (
              <EmptyState icon={VersionsIcon} title="No earlier versions">
                Each publication adds one to this list.
              </EmptyState>
            ) : (
              <div className={styles.problems}>
                {data.map((row) => (
                  <Version key={row.version} id={id} row={row} live={storage.workflow?.dsl_hash} />
                ))}
              </div>
            )
          }
        </Loaded>
      )}
    </SidePanel>
  );
}

/** What runs now, in one sentence. */
function liveSentence({ workflow, draft }: Storage): string {
  if (workflow === null || workflow.version === 0) return 'Nothing is live yet: publish the draft first.';
  const state = workflow.enabled ? 'is live' : 'would be live, but the workflow is disabled';
  const approval = workflow.status === 'pending_approval' ? ' It waits for the approval of an admin.' : '';
  return `Version ${workflow.version} ${state}${draft === null ? ', and there is no draft.' : ', and a draft differs from it.'}${approval}`;
}

interface VersionProps {
  readonly id: string;
  readonly row: VersionRow;
  readonly live: string | undefined;
}

function Version({ id, row, live }: VersionProps) {
  const { dispatch } = useEditor();
  const [open, setOpen] = useState(false);
  const restore = async (): Promise<void> => {
    const { dsl } = await api.workflows.version({ id, version: String(row.version) });
    dispatch({ kind: 'replace', document: dsl });
    toast(`Version ${row.version} is in the editor; save and publish it to make it live`);
  };
  return (
    <article className={styles.problem}>
      <span>
        <strong>{`Version ${row.version}`}</strong> {row.dsl_hash === live && <span className="cell-muted">live</span>}{' '}
        <span className="cell-muted">
          <RelativeTime at={row.created_at} />
          {row.author !== null && `, by ${row.author}`}
        </span>
      </span>
      {row.message !== null && row.message !== '' && <span>{row.message}</span>}
      <span className={styles.chips}>
        <Button size="small" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? 'Hide the changes' : 'Changes until now'}
        </Button>
        <Button edits size="small" kind="ghost" onClick={() => void restore().catch(toastError)}>
          Restore into the draft
        </Button>
      </span>
      {open && <Since id={id} version={row.version} />}
    </article>
  );
}

function Since({ id, version }: { readonly id: string; readonly version: number }) {
  const diff = useQuery({
    queryKey: ['workflows', id, 'versions', version, 'until-now'],
    queryFn: async ({ signal }) => {
      const [{ dsl }, found] = await Promise.all([
        api.workflows.version({ id, version: String(version) }, { signal }),
        api.workflows.compare_versions({ id, from: String(version), to: 'current' }, { signal }),
      ]);
      return { dsl, found };
    },
  });
  return <Loaded query={diff}>{({ dsl, found }) => <DiffView diff={found} before={dsl} />}</Loaded>;
}
