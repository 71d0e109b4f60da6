import { json, type Route } from './route';

export const systemRoutes: readonly Route[] = [
  json('GET /api/v1/system/workers', 'executions.workers', {
    access: 'admin',
    summary: 'Processes that host executions: who lives, how busy they are, who is leaving',
  }),
  json('GET /api/v1/system/keys', 'secrets.keys', {
    access: 'admin',
    summary: 'Which keys are in use, and how far a rotation is',
  }),
  {
    kind: 'health',
    asks: 'alive',
    method: 'GET',
    path: '/health',
    access: 'public',
    summary: 'Whether the gateway answers',
  },
  { kind: 'health', asks: 'alive', method: 'GET', path: '/health/live', access: 'public', summary: 'The same' },
  {
    kind: 'health',
    asks: 'ready',
    method: 'GET',
    path: '/health/ready',
    access: 'public',
    summary: 'Whether everything that requests need is there; 503 with what is missing',
  },
];
