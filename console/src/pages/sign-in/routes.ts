import { createRoute, redirect } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page';
import { rootRoute } from '../../app/root-routes';
import { session } from '../../app/session';
import { pathParam, type Search, textParam } from '../../model/search-params';

/** A user with a session has nothing to do on these pages. */
const leaveWhenSignedIn = async (): Promise<void> => {
  if (await session.restore()) redirect({ to: '/', throw: true });
};

const withToken = (search: Search): { token?: string } => ({ token: textParam(search, 'token') });

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: (search: Search): { next?: string } => ({ next: pathParam(search, 'next') }),
  beforeLoad: leaveWhenSignedIn,
  component: lazyPage(() => import('./sign-in-page'), 'SignInPage'),
});

const signUpRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-up',
  beforeLoad: leaveWhenSignedIn,
  component: lazyPage(() => import('./sign-up-page'), 'SignUpPage'),
});

const forgotRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/forgot-password',
  component: lazyPage(() => import('./token-pages'), 'ForgotPasswordPage'),
});

const resetRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/reset-password',
  validateSearch: withToken,
  component: lazyPage(() => import('./token-pages'), 'ResetPasswordPage'),
});

const inviteRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/accept-invite',
  validateSearch: withToken,
  component: lazyPage(() => import('./token-pages'), 'AcceptInvitePage'),
});

const verifyRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/verify-email',
  validateSearch: withToken,
  beforeLoad: async () => {
    await session.restore();
  },
  component: lazyPage(() => import('./token-pages'), 'VerifyEmailPage'),
});

/** The pages before the sign-in. Mails link to the last three. */
export const signInRoutes = [signInRoute, signUpRoute, forgotRoute, resetRoute, inviteRoute, verifyRoute];
