import { createRootRoute, createRoute, Outlet, redirect } from '@tanstack/react-router';
import { Toasts } from '../ui';
import { ExpiredSession } from './expired-session';
import { session } from './session';
import { Shell } from './shell';

export const rootRoute = createRootRoute({
  component: () => (
    <>
      <Outlet />
      <ExpiredSession />
      <Toasts />
    </>
  ),
});

/** The frame of all pages behind the sign-in. */
export const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  component: Shell,
  beforeLoad: async ({ location }) => {
    if (await session.restore()) return;
    const next = location.pathname === '/' ? undefined : location.href;
    redirect({ to: '/sign-in', search: { next }, throw: true });
  },
});
