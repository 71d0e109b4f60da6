import { useEffect, useState } from 'react';
import type { MeView } from '../api/client';
import type { Landing } from '../model/landing';
import { Button, Notice, RelativeTime } from '../ui';
import { landing } from './landing';

interface ShellNoticesProps {
  readonly suspended: MeView['tenant']['suspended'];
}

/** Notices over every page that most sessions never see; loaded when there is one. */
export default function ShellNotices({ suspended }: ShellNoticesProps) {
  return (
    <>
      {suspended && (
        <Notice tone="warn" className="shell-notice">
          This workspace is suspended since <RelativeTime at={suspended.since} />: {suspended.reason}. It can be read
          and exported; nothing in it is started or changed until the operator of the installation reopens it.
        </Notice>
      )}
      <LandingNotice />
    </>
  );
}

/** Says what a redirect to this page has brought. */
function LandingNotice() {
  const [shown, setShown] = useState(true);
  useEffect(() => {
    if (landing?.kind === 'claim') void import('./claim-connection').then((claim) => claim.claimConnection());
  }, []);
  const text = shown && landing !== null ? textOf(landing) : null;
  if (text === null) return null;
  return (
    <Notice
      tone={landing?.kind === 'error' ? 'danger' : 'ok'}
      className="shell-notice"
      actions={
        <Button kind="ghost" size="small" onClick={() => setShown(false)}>
          Dismiss
        </Button>
      }
    >
      {text}
    </Notice>
  );
}

function textOf(given: Landing): string | null {
  switch (given.kind) {
    case 'error':
      return given.message;
    case 'connected':
      return 'The account is connected.';
    case 'billing':
      return given.outcome === 'success' ? 'The plan is changed.' : null;
    case 'challenge':
    case 'claim':
    case 'token':
      return null;
  }
}
