import { createRootRoute, createRoute, Outlet, redirect } from '@tanstack/react-router';
import { Suspense } from 'react';
import { Toasts } from '../ui';
import { lazyPart } from './lazy-page';
import { session, useSession } from './session';
import { Shell } from './shell';

const ExpiredSession = lazyPart(() => import('./expired-session'));

export const rootRoute = createRootRoute({
  component: () => (
    <>
      <Outlet />
      <RenewedSession />
      <Toasts />
    </>
  ),
});

function RenewedSession() {
  const { expired } = useSession();
  return (
    expired && (
      <Suspense>
        <ExpiredSession />
      </Suspense>
    )
  );
}

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
