import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import './ui/tokens.css';
import './ui/base.css';
import './app/landing';
import { queryClient } from './app/queries';
import { router } from './app/router';
import { session } from './app/session';

// A user who signs out, here or in another tab, leaves nothing behind in this one.
session.subscribe(() => {
  if (session.token !== null) return;
  queryClient.clear();
  void router.navigate({ to: '/sign-in' });
});

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no element with the id root');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
