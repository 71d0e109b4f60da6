import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type AlertIncident, type AlertView, EverstepError } from '../../api/client';
import { channelText, conditionText, isMuted } from '../../model/alerts';
import { formatCount, formatInstant } from '../../model/format';
import {
  ActionList,
  Button,
  ConfirmDialog,
  CopyText,
  EmptyState,
  IconButton,
  KeyValues,
  Loaded,
  Notice,
  Popover,
  RelativeTime,
  SidePanel,
  Tabs,
  toast,
  toastError,
} from '../../ui';
import { BellIcon, CompletedIcon, DeleteIcon, EditIcon, MoreIcon, PauseIcon, PlayIcon } from '../../ui/icon';
import { AlertForm } from './alert-form';
import { AlertState } from './alert-state';
import styles from './alerts.module.css';
import { NoticeList } from './notice-list';
import { alertQuery } from './queries';

const HOUR_MS = 3_600_000;

interface NewProps {
  readonly workflow: string | undefined;
  readonly onClose: () => void;
  readonly onMade: (id: string) => void;
}

/** The form of a new alert; the secret of its webhook is shown once. */
export function NewAlertPanel({ workflow, onClose, onMade }: NewProps) {
  const [made, setMade] = useState<AlertView | null>(null);
  const save = async (body: Parameters<typeof api.alerts.create>[0]['body']): Promise<void> => {
    const alert = await api.alerts.create({ body });
    if (secretsOf(alert).length > 0) setMade(alert);
    else onMade(alert.id);
  };
  return (
    <SidePanel title="New alert" onClose={onClose}>
      {made === null ? (
        <AlertForm alert={null} workflow={workflow} action="Create the alert" onSave={save} onClose={onClose} />
      ) : (
        <Secrets alert={made} onDone={() => onMade(made.id)} />
      )}
    </SidePanel>
  );
}

const secretsOf = ({ channels }: AlertView): readonly { readonly url: string; readonly secret: string }[] =>
  channels.flatMap((channel) =>
    channel.kind === 'webhook' && channel.secret !== null ? [{ url: channel.url, secret: channel.secret }] : [],
  );

function Secrets({ alert, onDone }: { readonly alert: AlertView; readonly onDone: () => void }) {
  return (
    <div className={styles.stack}>
      <Notice tone="warn">Copy the secret now: it signs the requests, and is not shown again.</Notice>
      {secretsOf(alert).map(({ url, secret }) => (
        <div key={secret} className={styles.stack}>
          <p className="cell-muted">{url}</p>
          <CopyText text={secret} />
        </div>
      ))}
      <div>
        <Button kind="primary" onClick={onDone}>
          I have copied it
        </Button>
      </div>
    </div>
  );
}

/** One alert: what holds, what was sent, and what can be done with it. */
export function AlertPanel({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const client = useQueryClient();
  const alert = useQuery(alertQuery(id));
  const [editing, setEditing] = useState(false);
  const [secrets, setSecrets] = useState<AlertView | null>(null);
  const save = async (body: Parameters<typeof api.alerts.create>[0]['body']): Promise<void> => {
    const changed = await api.alerts.update({ id, body });
    toast('The alert is saved');
    setSecrets(secretsOf(changed).length > 0 ? changed : null);
    setEditing(false);
    await client.invalidateQueries({ queryKey: ['alerts'] });
  };
  const isGone = alert.error instanceof EverstepError && alert.error.status === 404;
  return (
    <SidePanel
      title={alert.data?.name ?? 'Alert'}
      aside={alert.data && <AlertState alert={alert.data} />}
      onClose={onClose}
    >
      {isGone ? (
        <EmptyState icon={BellIcon} title="No such alert">
          It was deleted, or belongs to another workspace.
        </EmptyState>
      ) : (
        <Loaded query={alert}>
          {(data) => {
            if (secrets !== null) return <Secrets alert={secrets} onDone={() => setSecrets(null)} />;
            if (editing)
              return <AlertForm alert={data} action="Save" onSave={save} onClose={() => setEditing(false)} />;
            return <Details alert={data} onEdit={() => setEditing(true)} onDeleted={onClose} />;
          }}
        </Loaded>
      )}
    </SidePanel>
  );
}

interface DetailsProps {
  readonly alert: AlertView;
  readonly onEdit: () => void;
  readonly onDeleted: () => void;
}

const TABS = [
  { key: 'incidents', label: 'Now' },
  { key: 'notices', label: 'Notices' },
] as const;

function Details({ alert, onEdit, onDeleted }: DetailsProps) {
  const [tab, setTab] = useState<(typeof TABS)[number]['key']>('incidents');
  const { scope } = alert;
  return (
    <>
      <Actions alert={alert} onEdit={onEdit} onDeleted={onDeleted} onTested={() => setTab('notices')} />
      <KeyValues
        rows={[
          ['Condition', conditionText(alert.condition)],
          ['Workflows', scope.kind === 'tenant' ? 'All' : formatCount(scope.workflow_ids.length)],
          ['Sends to', alert.channels.map(channelText).join(', ')],
          ['Quiet period', alert.quiet_period],
          ['Muted until', isMuted(alert, Date.now()) ? formatInstant(Date.parse(alert.muted_until ?? '')) : null],
          ['Made by', alert.created_by],
        ]}
      />
      <div>
        <Tabs label="About the alert" tabs={TABS} active={tab} onChange={setTab}>
          {tab === 'incidents' ? <Incidents incidents={alert.incidents} /> : <NoticeList id={alert.id} />}
        </Tabs>
      </div>
    </>
  );
}

interface ActionsProps extends DetailsProps {
  readonly onTested: () => void;
}

function Actions({ alert, onEdit, onDeleted, onTested }: ActionsProps) {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [deleting, setDeleting] = useState(false);
  const { id, name } = alert;
  const muted = isMuted(alert, Date.now());
  const act = (work: () => Promise<string>): void => {
    setBusy(true);
    work()
      .then(async (done) => {
        toast(done);
        await client.invalidateQueries({ queryKey: ['alerts'] });
      })
      .catch(toastError)
      .finally(() => setBusy(false));
  };
  const mute = (hours: number | null) => async (): Promise<string> => {
    const until = hours === null ? null : new Date(Date.now() + hours * HOUR_MS).toISOString();
    await api.alerts.mute({ id, body: { until } });
    return hours === null ? `${name} sends notices again` : `${name} is muted`;
  };
  const test = async (): Promise<string> => {
    await api.alerts.test({ id });
    onTested();
    return 'A test is on its way';
  };
  return (
    <div className={styles.actions}>
      <Button edits icon={BellIcon} busy={busy} onClick={() => act(test)}>
        Send a test
      </Button>
      <Button edits icon={EditIcon} onClick={onEdit}>
        Edit
      </Button>
      {muted && (
        <Button edits icon={PlayIcon} onClick={() => act(mute(null))}>
          End the mute
        </Button>
      )}
      <Popover
        label={`More for ${name}`}
        align="end"
        trigger={(props) => <IconButton {...props} icon={MoreIcon} label={`More for ${name}`} />}
      >
        {(close) => (
          <ActionList
            close={close}
            actions={[
              { edits: true, label: 'Mute for an hour', icon: PauseIcon, onSelect: () => act(mute(1)) },
              { edits: true, label: 'Mute for a day', icon: PauseIcon, onSelect: () => act(mute(24)) },
              { edits: true, label: 'Mute for a week', icon: PauseIcon, onSelect: () => act(mute(24 * 7)) },
              { edits: true, label: 'Delete', icon: DeleteIcon, danger: true, onSelect: () => setDeleting(true) },
            ]}
          />
        )}
      </Popover>
      {deleting && (
        <ConfirmDialog
          title={`Delete ${name}?`}
          action="Delete the alert"
          danger
          onConfirm={async () => {
            await api.alerts.remove({ id });
            toast(`${name} is deleted`);
            onDeleted();
            await client.invalidateQueries({ queryKey: ['alerts', 'list'] });
          }}
          onClose={() => setDeleting(false)}
        >
          It sends no more notices, and its history is removed.
        </ConfirmDialog>
      )}
    </div>
  );
}

function Incidents({ incidents }: { readonly incidents: readonly AlertIncident[] }) {
  if (incidents.length === 0)
    return (
      <EmptyState icon={CompletedIcon} title="Nothing to report">
        The condition does not hold.
      </EmptyState>
    );
  return (
    <ul className={styles.list}>
      {incidents.map((incident) => (
        <li key={incident.workflow_id ?? ''}>
          <div className={styles.row}>
            <strong>{incident.workflow_name ?? 'The whole workspace'}</strong>
            <span className="cell-muted">
              <RelativeTime at={incident.since} />
            </span>
          </div>
          <p className={styles.meta}>{incident.detail}</p>
          {incident.execution_ids.length > 0 && (
            <p className={styles.meta}>
              Runs:{' '}
              {incident.execution_ids.map((id) => (
                <Link key={id} className={styles.run} to="/runs/$id" params={{ id }}>
                  {id.slice(0, 8)}
                </Link>
              ))}
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}
