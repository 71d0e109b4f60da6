import type { AssetRoute } from './route';

const asset = (path: string, name: AssetRoute['name'], contentType: string, summary: string): AssetRoute => ({
  kind: 'asset',
  method: 'GET',
  path,
  access: 'public',
  name,
  contentType,
  summary,
});

/** What the API says of itself: for programs, and as a page for people. */
export const docsRoutes: readonly AssetRoute[] = [
  asset('/openapi.json', 'openapi', 'application/json; charset=utf-8', 'The API as an OpenAPI document'),
  asset('/docs', 'page', 'text/html; charset=utf-8', 'A page that shows the API'),
  asset('/docs/app.js', 'script', 'text/javascript; charset=utf-8', 'The script of that page'),
  asset('/docs/app.css', 'style', 'text/css; charset=utf-8', 'Its style'),
];
