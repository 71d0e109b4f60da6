import { useInfiniteQuery } from '@tanstack/react-query';
import type { AuditEventView } from '../../api/client';
import { actorText, changesOf, valueText } from '../../model/audit';
import { formatInstant } from '../../model/format';
import { Badge, Button, CopyText, EmptyState, KeyValues, Loaded, SidePanel } from '../../ui';
import { VersionsIcon } from '../../ui/icon';
import styles from './audit.module.css';
import { eventsQuery } from './queries';
import type { AuditFilters } from './route';

interface PanelProps {
  readonly id: string;
  readonly filters: AuditFilters;
  readonly onClose: () => void;
  readonly onFilter: (filters: AuditFilters) => void;
}

/** One event: who, what, and each value that has changed. */
export function EventPanel({ id, filters, onClose, onFilter }: PanelProps) {
  const events = useInfiniteQuery(eventsQuery(filters));
  const event = events.data?.pages.flatMap(({ data }) => data).find((each) => each.id === id);
  return (
    <SidePanel
      title={event?.action ?? 'Event'}
      aside={event?.outcome === 'failed' ? <Badge tone="danger">Failed</Badge> : undefined}
      onClose={onClose}
    >
      <Loaded query={events}>
        {() =>
          event === undefined ? (
            <EmptyState icon={VersionsIcon} title="The event is not in this list">
              Change the filters, or go further down in the list.
            </EmptyState>
          ) : (
            <Details event={event} onFilter={onFilter} />
          )
        }
      </Loaded>
    </SidePanel>
  );
}

function Details({ event, onFilter }: { readonly event: AuditEventView; readonly onFilter: PanelProps['onFilter'] }) {
  const { actor, target, outcome } = event;
  const filterActor = actor.email ?? actor.id;
  return (
    <div className={styles.stack}>
      {outcome === 'failed' && <p className="cell-muted">What was announced did not happen.</p>}
      <KeyValues
        rows={[
          ['When', formatInstant(Date.parse(event.at))],
          ['By', actorText(actor)],
          ['With', { user: 'a session', api_key: 'an API key', service: null, anonymous: null }[actor.type]],
          ['From', actor.ip],
          ['Target', `${target.type} ${target.name ?? target.id}`],
          ['Place in the log', String(event.seq)],
          ['Request', event.request_id],
        ]}
      />
      <Changes event={event} />
      <div className={styles.actions}>
        <Button size="small" onClick={() => onFilter({ target: target.id })}>
          All about this target
        </Button>
        {filterActor !== null && (
          <Button size="small" onClick={() => onFilter({ actor: filterActor })}>
            All by the same
          </Button>
        )}
      </div>
      <div>
        <p className={styles.meta}>Hash</p>
        <CopyText text={event.hash} />
      </div>
    </div>
  );
}

function Changes({ event: { before, after } }: { readonly event: Pick<AuditEventView, 'before' | 'after'> }) {
  const changes = changesOf(before, after);
  if (changes.length === 0) return <p className="cell-muted">The event has no values.</p>;
  return (
    <dl className={styles.changes} aria-label="Changes">
      {changes.map(({ path, before: was, after: is }) => (
        <div key={path}>
          <dt>{path}</dt>
          {was !== undefined && (
            <dd className={styles.before}>
              <span className="visually-hidden">Before: </span>
              {valueText(was)}
            </dd>
          )}
          {is !== undefined && (
            <dd className={styles.after}>
              <span className="visually-hidden">After: </span>
              {valueText(is)}
            </dd>
          )}
        </div>
      ))}
    </dl>
  );
}
