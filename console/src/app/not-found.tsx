import '../app/shell.css';
import { EmptyState, LinkButton } from '../ui';
import { SearchIcon } from '../ui/icon';

/** For an address without a page, with or without a session. */
export function NotFound() {
  return (
    <main className="not-found">
      <title>Page not found · Everstep</title>
      <EmptyState
        icon={SearchIcon}
        title="There is nothing at this address"
        level="h1"
        actions={
          <LinkButton kind="primary" to="/">
            Go to the home page
          </LinkButton>
        }
      >
        The link may be incomplete, or what it led to was deleted.
      </EmptyState>
    </main>
  );
}
