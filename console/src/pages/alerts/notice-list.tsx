import { useQuery } from '@tanstack/react-query';
import type { NotificationView } from '../../api/client';
import type { Tone } from '../../model/status';
import { Badge, EmptyState, Loaded, RelativeTime } from '../../ui';
import { BellIcon } from '../../ui/icon';
import styles from './alerts.module.css';
import { noticesQuery } from './queries';

const LOOKS: Readonly<Record<NotificationView['status'], { readonly tone: Tone; readonly label: string }>> = {
  pending: { tone: 'info', label: 'Sending' },
  sent: { tone: 'ok', label: 'Sent' },
  failed: { tone: 'danger', label: 'Failed' },
  withheld: { tone: 'neutral', label: 'Withheld' },
};

/** What an alert has sent, newest first. */
export function NoticeList({ id }: { readonly id: string }) {
  const notices = useQuery(noticesQuery(id));
  return (
    <Loaded query={notices}>
      {({ data }) =>
        data.length === 0 ? (
          <EmptyState icon={BellIcon} title="No notices yet">
            Each notice is listed here with its receiver and its outcome.
          </EmptyState>
        ) : (
          <ul className={styles.list}>
            {data.map((notice) => (
              <li key={notice.id}>
                <div className={styles.row}>
                  <span>{notice.subject}</span>
                  <Badge tone={LOOKS[notice.status].tone}>{LOOKS[notice.status].label}</Badge>
                </div>
                <p className={styles.meta}>
                  {notice.channel.target} · <RelativeTime at={notice.created_at} />
                  {notice.error !== null && ` · ${notice.error}`}
                </p>
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}
