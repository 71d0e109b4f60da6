import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { isFor, presetsMatching, providerOf } from '../../model/connections';
import { Badge, Button, EmptyState, Loaded, SearchInput, SidePanel, SkeletonRows } from '../../ui';
import { ConnectorIcon, HttpIcon } from '../../ui/icon';
import { beginBuiltIn, beginWithApp, BUILT_IN, type BuiltIn } from './begin';
import styles from './connections.module.css';
import { appsQuery, presetsQuery, providersQuery } from './queries';

interface ConnectPanelProps {
  /** A connector whose providers are shown, or `any`. */
  readonly wanted: string;
  readonly onClose: () => void;
  /** Opens the form for a preset, or for `other`. */
  readonly onRegister: (preset: string) => void;
}

/** Apps with which an account can be connected now, and providers for which one can be registered. */
export function ConnectPanel({ wanted, onClose, onRegister }: ConnectPanelProps) {
  return (
    <SidePanel title="Connect an account" onClose={onClose}>
      <Ready wanted={wanted} />
      <Gallery wanted={wanted} onRegister={onRegister} />
    </SidePanel>
  );
}

function Ready({ wanted }: { readonly wanted: string }) {
  const apps = useQuery(appsQuery);
  const presets = useQuery(presetsQuery);
  const providers = useQuery(providersQuery);
  const builtIn = (Object.keys(BUILT_IN) as BuiltIn[]).filter(
    (word) => providers.data?.[word].configured === true && isFor(wanted, { connector: word }),
  );
  return (
    <section>
      <h3 className={styles.heading}>Ready to connect</h3>
      <Loaded query={apps} skeleton={<SkeletonRows rows={3} label="Loading OAuth apps" />}>
        {(data) => {
          const fitting = data.filter((app) => isFor(wanted, app));
          return fitting.length + builtIn.length === 0 ? (
            <p className="cell-muted">
              {wanted === 'any'
                ? 'No OAuth app is registered yet. Choose a provider below.'
                : `No OAuth app for ${wanted} is registered yet.`}
            </p>
          ) : (
            <ul className={styles.ready}>
              {builtIn.map((word) => (
                <li key={word}>
                  <span className={styles.app}>{BUILT_IN[word]}</span>
                  <Button
                    edits
                    kind="primary"
                    size="small"
                    aria-label={`Connect ${BUILT_IN[word]}`}
                    onClick={() => void beginBuiltIn(word)}
                  >
                    Connect
                  </Button>
                </li>
              ))}
              {fitting.map((app) => (
                <li key={app.id}>
                  <span className={styles.app}>
                    {app.name}
                    <OtherName name={app.name} provider={providerOf(app, presets.data ?? [])} />
                  </span>
                  <Button
                    edits
                    kind="primary"
                    size="small"
                    aria-label={`Connect ${app.name}`}
                    onClick={() => void beginWithApp(app.id)}
                  >
                    Connect
                  </Button>
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </section>
  );
}

/** The provider, unless the app has its name. */
const OtherName = ({ name, provider }: { readonly name: string; readonly provider: string }) =>
  provider === name ? null : <span className="cell-muted"> {provider}</span>;

function Gallery({ wanted, onRegister }: Pick<ConnectPanelProps, 'wanted' | 'onRegister'>) {
  const [search, setSearch] = useState('');
  const presets = useQuery(presetsQuery);
  const apps = useQuery(appsQuery);
  const registered = new Set(apps.data?.map(({ preset }) => preset));
  return (
    <section className={styles.gallery}>
      <h3 className={styles.heading}>Register an OAuth app</h3>
      <SearchInput
        label="Search providers"
        value={search}
        onChange={({ currentTarget: { value } }) => setSearch(value)}
      />
      <Loaded query={presets}>
        {(data) => {
          const shown = presetsMatching(
            data.filter((preset) => isFor(wanted, preset)),
            search,
          );
          return (
            <>
              {shown.length === 0 && search !== '' && (
                <EmptyState icon={ConnectorIcon} title="No provider matches">
                  Any provider with OAuth 2.0 can be registered with its endpoints.
                </EmptyState>
              )}
              <ul className={styles.presets}>
                {shown.map(({ id, title, connector }) => (
                  <li key={id}>
                    <button type="button" className={styles.preset} onClick={() => onRegister(id)}>
                      <span className={styles.presetTitle}>{title}</span>
                      {registered.has(id) ? (
                        <Badge tone="ok">Registered</Badge>
                      ) : (
                        <span className={styles.presetFor}>{connector ?? 'http_request'}</span>
                      )}
                    </button>
                  </li>
                ))}
              </ul>
            </>
          );
        }}
      </Loaded>
      <Button icon={HttpIcon} onClick={() => onRegister('other')}>
        Another provider
      </Button>
    </section>
  );
}
