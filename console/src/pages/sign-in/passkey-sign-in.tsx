import { useEffect, useEffectEvent, useState } from 'react';
import { publicApi } from '../../api/client';
import { askPasskey, hasPasskeys, stopPasskey } from '../../app/passkeys';
import { Button, Notice } from '../../ui';
import { PasskeyIcon } from '../../ui/icon';
import { type Account, rememberAccount } from './remembered';
import styles from './sign-in.module.css';

interface PasskeySignInProps {
  /** Whose passkeys alone are taken. */
  readonly account: Account | undefined;
  readonly onToken: (token: string) => void;
}

/** The sign-in with a passkey: by the button, or from the suggestions of the field for the e-mail address. */
export function PasskeySignIn({ account, onToken }: PasskeySignInProps) {
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | null>(null);

  const signIn = async (mediation?: 'conditional'): Promise<void> => {
    const body = account === undefined ? {} : { tenant_slug: account.workspace, email: account.email };
    const asked = await publicApi.auth.begin_passkey_sign_in({ body });
    const passkey = await askPasskey(asked, mediation);
    const { token, user, tenant } = await publicApi.auth.passkey_sign_in({
      body: { challenge: asked.challenge, passkey },
    });
    rememberAccount({ workspace: tenant.slug, email: user.email });
    onToken(token);
  };
  const click = (): void => {
    setBusy(true);
    setFault(null);
    signIn()
      .catch((error: unknown) => setFault(error instanceof Error ? error.message : String(error)))
      .finally(() => setBusy(false));
  };
  useSuggestions(account === undefined && !busy, () => signIn('conditional'), setFault);

  return (
    <>
      {fault !== null && <Notice tone="danger">{fault}</Notice>}
      <Button icon={PasskeyIcon} className={styles.wide} busy={busy} onClick={click}>
        Sign in with a passkey
      </Button>
    </>
  );
}

/** Before the challenge expires, another one is asked for. */
const RENEWED_EVERY_MS = 4 * 60_000;

/** Offers passkeys among the suggestions of a field while the page is open, where the browser can. */
function useSuggestions(enabled: boolean, signIn: () => Promise<void>, onFault: (message: string) => void): void {
  const offer = useEffectEvent(async (): Promise<void> => {
    if (!hasPasskeys() || !(await PublicKeyCredential.isConditionalMediationAvailable?.())) return;
    await signIn().catch((error: unknown) => {
      // Another request took its place, or the page was left.
      const isEnded = error instanceof Error && error.name === 'AbortError';
      if (!isEnded) onFault(error instanceof Error ? error.message : String(error));
    });
  });
  useEffect(() => {
    if (!enabled) return;
    void offer();
    const renewal = setInterval(() => void offer(), RENEWED_EVERY_MS);
    return () => {
      clearInterval(renewal);
      stopPasskey();
    };
  }, [enabled]);
}
