import type { Method } from '../../../contracts/contract';
import type { FormRoute } from './route';

const route = (method: Method, path: string, page: FormRoute['page']): FormRoute => ({
  kind: 'form',
  method,
  path,
  access: 'public',
  page,
  summary: 'A page of a form, for people',
});

/** Forms, which start workflows, and which their runs wait for. They are pages for people, and no part of the API. */
export const formRoutes: readonly FormRoute[] = [
  route('GET', '/forms/:form', 'start'),
  route('POST', '/forms/:form', 'start'),
  route('GET', '/forms/:form/runs/:run', 'run'),
  route('POST', '/forms/:form/runs/:run', 'run'),
  route('GET', '/forms/steps/:key', 'step'),
  route('POST', '/forms/steps/:key', 'step'),
  route('GET', '/forms/runs/:key', 'pages'),
  route('POST', '/forms/runs/:key', 'pages'),
];
