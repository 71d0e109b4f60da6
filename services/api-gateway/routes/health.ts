import type { Route } from './route';

export const healthRoutes: readonly Route[] = [
  {
    kind: 'health',
    asks: 'alive',
    method: 'GET',
    path: '/health',
    access: 'public',
    summary: 'Whether the gateway answers',
  },
  { kind: 'health', asks: 'alive', method: 'GET', path: '/health/live', access: 'public', summary: 'The same' },
  { kind: 'health', asks: 'alive', method: 'GET', path: '/healthz', access: 'public', summary: 'The same' },
  {
    kind: 'health',
    asks: 'ready',
    method: 'GET',
    path: '/health/ready',
    access: 'public',
    summary: 'Whether everything that requests need is there; 503 with what is missing',
  },
  { kind: 'health', asks: 'ready', method: 'GET', path: '/ready', access: 'public', summary: 'The same' },
];
