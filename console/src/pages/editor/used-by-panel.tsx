import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api } from '../../api/client';
import { EmptyState, Loaded, SidePanel } from '../../ui';
import { WorkflowIcon } from '../../ui/icon';
import styles from './editor.module.css';
import type { Storage } from './use-storage';

interface UsedByPanelProps {
  readonly storage: Storage;
  readonly onClose: () => void;
}

/** The workflows that call this one or follow it, and where. */
export function UsedByPanel({ storage: { workflow }, onClose }: UsedByPanelProps) {
  const id = workflow?.id ?? '';
  const query = useQuery({
    queryKey: ['workflows', id, 'used-by'],
    queryFn: ({ signal }) => api.workflows.used_by({ id }, { signal }),
    enabled: id !== '',
  });
  return (
    <SidePanel title="Used by" onClose={onClose}>
      <Loaded query={query}>
        {({ data, truncated }) =>
          data.length === 0 ? (
            <EmptyState icon={WorkflowIcon} title="No workflow uses this one">
              A workflow that calls this one, or starts when its runs end, is listed here.
            </EmptyState>
          ) : (
            <div className={styles.problems}>
              {data.map(({ workflow_id: user, workflow_name: name, places }) => (
                <article key={user} className={styles.problem}>
                  <Link to="/workflows/$id" params={{ id: user }}>
                    {name}
                  </Link>
                  <ul className={styles.places}>
                    {places.map(({ path, step_id: step }) => (
                      <li key={path}>
                        {step === null ? (
                          <code>{path}</code>
                        ) : (
                          <Link to="/workflows/$id" params={{ id: user }} search={{ step }}>
                            {step}
                          </Link>
                        )}
                      </li>
                    ))}
                  </ul>
                </article>
              ))}
              {truncated && <p className="cell-muted">There are more than are listed.</p>}
            </div>
          )
        }
      </Loaded>
    </SidePanel>
  );
}
