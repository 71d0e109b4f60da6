import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { onConnected } from '../../app/connected';
import { isAccepted, providerOf } from '../../model/connections';
import { ActionList, Button, LinkButton, Popover, toast, toastError } from '../../ui';
import { ConnectorIcon, PlusIcon } from '../../ui/icon';
import { authorizeBuiltIn, authorizeWithApp, BUILT_IN, type BuiltIn } from '../connections/begin';
import { appsQuery, presetsQuery, providersQuery } from '../connections/queries';
import styles from './editor.module.css';
import { namesQuery } from './queries';

const WINDOW = 'popup,width=560,height=760';

interface ConnectHereProps {
  /** The connectors and providers whose connections the step accepts. */
  readonly accepts: readonly string[];
  /** The connection is there; with its name. */
  readonly onConnected: (name: string) => void;
}

/** Connects an account for a step in a window of its own, so that the document stays as it is. */
export function ConnectHere({ accepts, onConnected: done }: ConnectHereProps) {
  const client = useQueryClient();
  const [attempt, setAttempt] = useState<string | null>(null);

  useEffect(() => {
    if (attempt === null) return;
    return onConnected(attempt, (outcome) => {
      setAttempt(null);
      if (outcome.kind === 'failed') return toastError(outcome.message);
      client
        .fetchQuery({ ...namesQuery, staleTime: 0 })
        .then(({ connections }) => {
          const made = connections.find(({ id }) => id === outcome.id);
          if (made === undefined) return;
          toast(`${made.name} is connected`);
          done(made.name);
        })
        .catch(toastError);
    });
  }, [attempt, client, done]);

  const begin = (authorize: (returnTo: string) => Promise<string>): void => {
    // Opened by the click itself: browsers refuse windows that come later.
    const opened = window.open('about:blank', '_blank', WINDOW);
    if (opened === null) return toastError('The browser has refused the window; allow pop-ups of this page');
    const id = crypto.randomUUID();
    setAttempt(id);
    authorize(`/connections/done/${id}`).then(
      (address) => opened.location.assign(address),
      (error: unknown) => {
        opened.close();
        setAttempt(null);
        toastError(error);
      },
    );
  };

  if (attempt !== null)
    return (
      <span className={styles.connecting} role="status">
        Waiting for the other window
        <Button size="small" kind="ghost" onClick={() => setAttempt(null)}>
          Stop waiting
        </Button>
      </span>
    );
  return (
    <Popover
      label="Connect an account"
      trigger={(props) => (
        <Button edits {...props} kind="ghost" size="small" icon={PlusIcon}>
          Connect an account
        </Button>
      )}
    >
      {(close) => <Choices accepts={accepts} close={close} onBegin={begin} />}
    </Popover>
  );
}

interface ChoicesProps {
  readonly accepts: readonly string[];
  readonly close: () => void;
  readonly onBegin: (authorize: (returnTo: string) => Promise<string>) => void;
}

/** What an account can be connected with now; the page of connections has the rest. */
function Choices({ accepts, close, onBegin }: ChoicesProps) {
  const apps = useQuery(appsQuery);
  const presets = useQuery(presetsQuery).data ?? [];
  const providers = useQuery(providersQuery).data;
  if (apps.data === undefined) return <p className={styles.note}>{apps.isPending ? 'Loading' : apps.error.message}</p>;
  const builtIn = (Object.keys(BUILT_IN) as BuiltIn[]).filter(
    (word) => providers?.[word].configured === true && accepts.includes(word),
  );
  const fitting = apps.data.filter((app) => isAccepted(accepts, app));
  const preset = presets.find(({ connector }) => connector !== null && accepts.includes(connector));
  return (
    <>
      <ActionList
        close={close}
        actions={[
          ...builtIn.map((word) => ({
            label: BUILT_IN[word],
            icon: ConnectorIcon,
            onSelect: () => onBegin((returnTo) => authorizeBuiltIn(word, undefined, returnTo)),
          })),
          ...fitting.map((app) => ({
            label: app.name,
            icon: ConnectorIcon,
            hint: providerOf(app, presets),
            onSelect: () => onBegin((returnTo) => authorizeWithApp(app.id, {}, returnTo)),
          })),
        ]}
      />
      {builtIn.length + fitting.length === 0 && (
        <p className={styles.note}>No OAuth app for this step is registered yet.</p>
      )}
      <LinkButton
        kind="ghost"
        size="small"
        to="/connections"
        search={preset === undefined ? { connect: 'any' } : { register: preset.id }}
        target="_blank"
      >
        {preset === undefined ? 'All providers' : `Register an app of ${preset.title}`}
      </LinkButton>
    </>
  );
}
