import { Outlet, useLocation } from '@tanstack/react-router';
import { Suspense, useEffect, useState, useSyncExternalStore } from 'react';
import { connection } from '../api/connection';
import { Button, IconButton, MayEdit } from '../ui';
import { CloseIcon, NavigationIcon, SearchIcon } from '../ui/icon';
import { Notice } from '../ui/notice';
import { lazyPart, loadRetrying } from './lazy-page';
import { landing } from './landing';
import { Logo } from './logo';
import { Palette } from './palette';
import './shell.css';
import { SideNavigation } from './side-navigation';
import { openPalette } from './palette-state';
import { useMe } from './queries';
import { UserSection, WorkspaceSection } from './user-section';

const ShellNotices = lazyPart(() => import('./shell-notices'));

/** The frame of every page behind the sign-in: side bar, header of small screens, palette. */
export function Shell() {
  const [open, setOpen] = useState(false);
  const { pathname } = useLocation();
  useEffect(() => setOpen(false), [pathname]);
  useLive();
  const { role, tenant } = useMe().data ?? {};
  const suspended = tenant?.suspended ?? null;
  return (
    <div className="shell" data-open={open || undefined}>
      <a className="skip-link" href="#content">
        Skip to the content
      </a>
      <header className="shell-top">
        <IconButton
          icon={open ? CloseIcon : NavigationIcon}
          label={open ? 'Close the navigation' : 'Open the navigation'}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        />
        <Logo />
        <IconButton icon={SearchIcon} label="Search" onClick={openPalette} />
      </header>
      <aside className="shell-side">
        <WorkspaceSection />
        <Button className="shell-search" icon={SearchIcon} onClick={openPalette}>
          Search <kbd>{SHORTCUT}</kbd>
        </Button>
        <SideNavigation />
        <UserSection />
      </aside>
      <main id="content" className="shell-main" tabIndex={-1}>
        <ConnectionNotice />
        {(landing !== null || suspended) && (
          <Suspense>
            <ShellNotices suspended={suspended} />
          </Suspense>
        )}
        <MayEdit value={role !== 'viewer' && suspended === null}>
          <Outlet />
        </MayEdit>
      </main>
      <Palette />
    </div>
  );
}

/** Keeps what is shown up to date; loaded after the page itself. */
function useLive(): void {
  useEffect(() => {
    let wanted = true;
    let stop = (): void => {
      wanted = false;
    };
    void loadRetrying(() => import('./live')).then(({ startLive }) => {
      if (wanted) stop = startLive();
    });
    return () => stop();
  }, []);
}

const SHORTCUT = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘ K' : 'Ctrl K';

/** Says that the server does not answer; requests go on by themselves. */
function ConnectionNotice() {
  const state = useSyncExternalStore(connection.subscribe, connection.get);
  if (state === 'ok') return null;
  return (
    <Notice tone="warn" className="shell-notice">
      The server does not answer. Connecting again …
    </Notice>
  );
}
