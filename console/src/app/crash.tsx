import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { Button, ErrorState, Page } from '../ui';
import { RetryIcon } from '../ui/icon';

/** A part of the application that another version has, so that a load of the page gets it. */
const isOldVersion = (error: unknown): boolean =>
  error instanceof Error &&
  /dynamically imported module|Importing a module script failed|preload CSS/i.test(error.message);

/** In place of a page that failed, with the request id where a request was the reason. */
export function Crash({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  if (isOldVersion(error))
    return (
      <Page title="Everstep was updated">
        <p>This page belongs to an earlier version.</p>
        <div>
          <Button kind="primary" icon={RetryIcon} onClick={() => location.reload()}>
            Load the new version
          </Button>
        </div>
      </Page>
    );
  const retry = (): void => {
    reset();
    void router.invalidate();
  };
  return (
    <Page title="Something went wrong">
      <ErrorState error={error} onRetry={retry} />
    </Page>
  );
}
