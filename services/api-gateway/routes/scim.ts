import { SCIM_METHODS } from '../../../contracts/auth/scim';
import { ACTIONS } from '../../../contracts/catalogue';
import type { ScimRoute } from './route';

/** Identity providers find all else from the endpoint on, so it is no part of the API document. */
export const scimRoutes: readonly ScimRoute[] = SCIM_METHODS.map((method) => ({
  kind: 'scim',
  method,
  path: '/scim/v2/:path*',
  access: 'admin',
  summary: ACTIONS['auth.scim'].summary,
}));
