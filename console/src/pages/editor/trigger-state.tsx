import { useQuery } from '@tanstack/react-query';
import { api, type PollView } from '../../api/client';
import { formatInZone } from '../../model/format';
import { CopyText, Field, LinkButton, Notice, RelativeTime } from '../../ui';
import styles from './editor.module.css';

const MAX_TIMES = 5;

/** The next starts of what is live, and how its polls went. */
export function NextTimes({ id, hash }: { readonly id: string; readonly hash: string }) {
  const { data } = useQuery({
    queryKey: ['workflows', id, 'schedule', hash],
    queryFn: ({ signal }) => api.workflows.schedule({ id }, { signal }),
  });
  const all = data?.schedules ?? (data?.schedule === null || data?.schedule === undefined ? [] : [data.schedule]);
  const times = all
    .flatMap((view) => {
      if (!('next_runs' in view)) return view.next_poll === null ? [] : [{ at: view.next_poll, zone: 'UTC' }];
      return view.next_runs.map((at) => ({ at, zone: view.timezone }));
    })
    .toSorted((one, other) => (one.at < other.at ? -1 : 1))
    .slice(0, MAX_TIMES);
  const polls = all.filter((view) => 'next_poll' in view);
  if (times.length === 0 && polls.length === 0) return null;
  return (
    <Field label="Next starts of the live version">
      {polls.map((poll) => (
        <PollState key={poll.type} poll={poll} />
      ))}
      <ul className={styles.problems}>
        {times.map(({ at, zone }) => (
          <li key={at}>
            {formatInZone(Date.parse(at), zone)}{' '}
            <span className="cell-muted">
              <RelativeTime at={at} />
            </span>
          </li>
        ))}
      </ul>
    </Field>
  );
}

/** How the last polls went. */
function PollState({ poll }: { readonly poll: PollView }) {
  const { paused, last_ok_at: at, failures, trouble: fault } = poll;
  if (fault !== null)
    return (
      <Notice tone="danger">
        {failures === 1 ? 'The last poll failed: ' : `The last ${failures} polls failed: `}
        {fault.message}
      </Notice>
    );
  if (paused) return <p className="cell-muted">The source is not polled while the workflow is disabled.</p>;
  return (
    <p className="cell-muted">
      {at === null ? (
        'The source was not polled yet.'
      ) : (
        <>
          Last polled <RelativeTime at={at} />.
        </>
      )}
    </p>
  );
}

/** Where visitors talk to the workflow. */
export function ChatAddresses({ id }: { readonly id: string }) {
  const { data } = useQuery({
    queryKey: ['workflows', id, 'chats'],
    queryFn: ({ signal }) => api.workflows.chats({ id }, { signal }),
  });
  if (data === undefined) return null;
  return (
    <>
      {data.data.map(({ slug, title }) => (
        <Field key={slug} label={title}>
          <CopyText text={`${location.origin}/chat/${slug}`} />
        </Field>
      ))}
      <p className="cell-muted">
        {data.data.length === 0
          ? 'Visitors reach it once it has a chat, with an address and a widget for other sites.'
          : 'Visitors reach it at these addresses, and by the widget on other sites.'}
      </p>
      <div>
        <LinkButton
          size="small"
          to="/chats"
          search={{ workflow: id, ...(data.data.length === 0 ? { open: 'new' } : {}) }}
        >
          {data.data.length === 0 ? 'Create a chat' : 'Manage its chats'}
        </LinkButton>
      </div>
    </>
  );
}
