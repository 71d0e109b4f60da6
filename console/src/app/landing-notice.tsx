import { useEffect, useState } from 'react';
import type { Landing } from '../model/landing';
import { Button, Notice } from '../ui';
import { landing } from './landing';

/** Says what a redirect to this page has brought. */
export function LandingNotice() {
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
