import { useQuery } from '@tanstack/react-query';
import { publicApi } from '../../api/client';
import { AnchorButton } from '../../ui';
import styles from './sign-in.module.css';

/** The sign-in by the provider of the installation, where it has one. */
export function SuiteSignIn() {
  const { data } = useQuery({
    queryKey: ['sign-in methods'],
    queryFn: ({ signal }) => publicApi.auth.sign_in_methods({}, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  if (data?.suite !== true) return null;
  return (
    <>
      <div className={styles.or}>or</div>
      <AnchorButton className={styles.wide} href="/api/v1/auth/suite/authorize">
        Continue with Google
      </AnchorButton>
    </>
  );
}
