import { browserRoutes } from './browsers';
import { chatRoutes } from './chat';
import { consoleRoutes } from './console';
import { docsRoutes } from './docs';
import { fileRoutes } from './files';
import { formRoutes } from './forms';
import { healthRoutes } from './health';
import { jsonRoutes } from './json';
import type { Route, ServedRoute } from './route';
import { runRoutes } from './runs';
import { scimRoutes } from './scim';
import { uploadRoutes } from './uploads';
import { visitorRoutes } from './visitors';
import { webhookRoutes } from './webhooks';

/** Every route of the API. */
export const ROUTES: readonly Route[] = [
  ...webhookRoutes,
  ...jsonRoutes,
  ...runRoutes,
  ...uploadRoutes,
  ...fileRoutes,
  ...chatRoutes,
  ...browserRoutes,
  ...healthRoutes,
  ...docsRoutes,
];

/** Every route that there is. */
export const SERVED_ROUTES: readonly ServedRoute[] = [
  ...ROUTES,
  ...formRoutes,
  ...scimRoutes,
  ...visitorRoutes,
  ...consoleRoutes,
];
