import { useQueryClient } from '@tanstack/react-query';
import { SignInForm } from '../pages/sign-in/sign-in-form';
import { Button, Dialog } from '../ui';
import { meQuery } from './queries';
import { session } from './session';

/** A small sign-in over the page when the session has ended. Requests that were refused are sent again after it. */
export default function ExpiredSession() {
  const client = useQueryClient();
  const me = client.getQueryData(meQuery.queryKey);
  return (
    <Dialog title="Your session has ended" closable={false} onClose={() => undefined}>
      <p className="cell-muted">Sign in again to go on. What you have entered on this page is kept.</p>
      <SignInForm
        account={me && { workspace: me.tenant.slug, email: me.email }}
        onToken={(token) => session.signIn(token)}
      />
      <Button kind="ghost" size="small" onClick={() => session.signOut()}>
        Use another account
      </Button>
    </Dialog>
  );
}
