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
  asset(
    '/',
    'home',
    'text/html; charset=utf-8',
    'Leads a browser to the console, and others to the page about the API',
  ),
  asset('/openapi.json', 'openapi', 'application/json; charset=utf-8', 'The API as an OpenAPI document'),
  asset('/docs', 'page', 'text/html; charset=utf-8', 'A page that shows the API'),
  asset('/docs/app.js', 'script', 'text/javascript; charset=utf-8', 'The script of that page'),
  asset('/docs/try.js', 'requests', 'text/javascript; charset=utf-8', 'What that page makes requests with'),
  asset('/docs/app.css', 'style', 'text/css; charset=utf-8', 'Its style'),
  asset('/docs/guides', 'guides', 'application/json; charset=utf-8', 'The guides, with their headings'),
  asset('/docs/guides/:name', 'guide', 'text/html; charset=utf-8', 'A guide, as a page'),
];
