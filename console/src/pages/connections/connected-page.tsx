import { useEffect } from 'react';
import { announceConnected } from '../../app/connected';
import { landing } from '../../app/landing';
import { Button, EmptyState, Page } from '../../ui';
import { AlertIcon, CompletedIcon } from '../../ui/icon';
import { connectedRoute } from './route';

/** The end of a window in which an account was connected: the page that opened it goes on, and the window closes. */
export function ConnectedPage() {
  const { attempt } = connectedRoute.useParams();
  const failed = landing?.kind === 'error' ? landing.message : null;
  useEffect(() => {
    if (landing?.kind === 'connected') announceConnected(attempt, { kind: 'connected', id: landing.id });
    else if (failed !== null) announceConnected(attempt, { kind: 'failed', message: failed });
    else return;
    window.close();
  }, [attempt, failed]);
  return (
    <Page title="Connect an account">
      <EmptyState
        icon={failed === null ? CompletedIcon : AlertIcon}
        title={failed === null ? 'The account is connected' : 'The account is not connected'}
        actions={<Button onClick={() => window.close()}>Close the window</Button>}
      >
        {failed ?? 'The page from which you came goes on with it.'}
      </EmptyState>
    </Page>
  );
}
