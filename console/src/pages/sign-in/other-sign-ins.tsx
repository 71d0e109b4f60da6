import { useQuery } from '@tanstack/react-query';
import { publicApi } from '../../api/client';
import { hasPasskeys } from '../../app/passkeys';
import { AnchorButton } from '../../ui';
import { PasskeySignIn } from './passkey-sign-in';
import type { Account } from './remembered';
import styles from './sign-in.module.css';

interface OtherSignInsProps {
  /** Given where a user who was signed in has to sign in again. */
  readonly account: Account | undefined;
  /** False where single sign-on is enforced. */
  readonly passkey: boolean;
  readonly onToken: (token: string) => void;
}

/** The ways in beside the password: a passkey, and the provider of the installation, where it has one. */
export function OtherSignIns({ account, passkey, onToken }: OtherSignInsProps) {
  const { data } = useQuery({
    queryKey: ['sign-in methods'],
    queryFn: ({ signal }) => publicApi.auth.sign_in_methods({}, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const offersPasskey = passkey && data?.passkey === true && hasPasskeys();
  const offersSuite = data?.suite === true && account === undefined;
  if (!offersPasskey && !offersSuite) return null;
  return (
    <div className={styles.others}>
      <div className={styles.or}>or</div>
      {offersPasskey && <PasskeySignIn account={account} onToken={onToken} />}
      {offersSuite && (
        <AnchorButton className={styles.wide} href="/api/v1/auth/suite/authorize">
          Continue with Google
        </AnchorButton>
      )}
    </div>
  );
}
