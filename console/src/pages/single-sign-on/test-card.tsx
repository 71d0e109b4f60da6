import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type SsoTestView } from '../../api/client';
import { AnchorButton, Badge, Button, Card, KeyValues, Loaded, Notice, RelativeTime, toastError } from '../../ui';
import { ssoTestQuery } from './queries';
import { singleSignOnRoute } from './route';
import styles from './single-sign-on.module.css';

interface TestProps {
  readonly id: string | null;
  readonly isSetUp: boolean;
}

/** A sign-in that signs no user in, and shows what the provider has sent. */
export function TestCard({ id, isSetUp }: TestProps) {
  const navigate = singleSignOnRoute.useNavigate();
  const [busy, setBusy] = useState(false);
  const [link, setLink] = useState<{ readonly id: string; readonly url: string } | null>(null);
  const start = (): void => {
    setBusy(true);
    api.auth
      .start_sso_test({ body: {} })
      .then(({ id: started, url }) => {
        setLink({ id: started, url });
        window.open(url, '_blank', 'noopener');
        return navigate({ search: { test: started }, replace: true });
      })
      .catch(toastError)
      .finally(() => setBusy(false));
  };
  return (
    <Card
      title="3. Test"
      description="Sign in at the provider in a new tab. It signs no user in here and creates no user; this page then shows what the provider has sent."
    >
      <div className={styles.stack}>
        {!isSetUp && <p className="cell-muted">Save the settings first. They need not be switched on for a test.</p>}
        {isSetUp && (
          <div>
            <Button busy={busy} onClick={start}>
              {id === null ? 'Start a test' : 'Start another test'}
            </Button>
          </div>
        )}
        {id !== null && <TestResult id={id} url={link?.id === id ? link.url : null} />}
      </div>
    </Card>
  );
}

function TestResult({ id, url }: { readonly id: string; readonly url: string | null }) {
  const test = useQuery(ssoTestQuery(id));
  return (
    <Loaded query={test}>
      {(found) => {
        if (found === null) return <p className="cell-muted">This test is gone: tests are kept for ten minutes.</p>;
        if (found.report !== null) return <Report report={found.report} at={found.finished_at} />;
        if (found.state === 'expired') return <p className="cell-muted">This test was not finished in ten minutes.</p>;
        return (
          <Notice
            actions={
              url !== null &&
              found.state === 'waiting' && (
                <AnchorButton href={url} target="_blank" rel="noopener" size="small">
                  Open the sign-in
                </AnchorButton>
              )
            }
          >
            {found.state === 'waiting'
              ? 'Waiting for the sign-in in the new tab.'
              : 'The sign-in has begun; finish it in the other tab.'}
          </Notice>
        );
      }}
    </Loaded>
  );
}

type TestReport = Exclude<SsoTestView['report'], null>;

const DECIDED_BY: Readonly<Record<'claim' | 'scim' | 'default' | 'account', string>> = {
  claim: 'by the groups in the answer',
  scim: 'by the groups that SCIM has provisioned',
  default: 'the role of everybody else',
  account: 'the role that the account has',
};
const ACCOUNTS = {
  existing: 'has an account',
  new: 'would get an account',
  deactivated: 'account is deactivated',
} as const;

function Report({ report, at }: { readonly report: TestReport; readonly at: string | null }) {
  const { user, problems, claims, groups } = report;
  const failed = problems.some(({ severity }) => severity === 'error');
  return (
    <div className={styles.stack}>
      <p className={styles.inline}>
        <Badge tone={failed ? 'danger' : 'ok'}>{failed ? 'Could not sign in' : 'Could sign in'}</Badge>
        {at !== null && (
          <span className="cell-muted">
            <RelativeTime at={at} />
          </span>
        )}
      </p>
      {problems.map(({ severity, where, message, action }) => (
        <Notice key={`${where} ${message}`} tone={severity === 'error' ? 'danger' : 'warn'}>
          <strong>{where}</strong>: {message}. {action}.
        </Notice>
      ))}
      <KeyValues
        rows={[
          ['User', user && `${user.email} (${ACCOUNTS[user.account]})`],
          ['Role', user && (user.role === null ? 'none' : `${user.role}, ${DECIDED_BY[user.decided_by]}`)],
          ['Groups', groups.length === 0 ? null : groups.join(', ')],
        ]}
      />
      <section className={styles.claims} aria-label="Received claims">
        <h3>Received</h3>
        {claims.length === 0 ? (
          <p className="cell-muted">Nothing about a user.</p>
        ) : (
          <KeyValues rows={claims.map(({ name, value }) => [name, <code key={name}>{value}</code>])} />
        )}
      </section>
    </div>
  );
}
