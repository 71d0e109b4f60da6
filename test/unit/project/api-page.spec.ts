import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERRORS } from '../../../lib/errors';
import { ROUTES } from '../../../services/api-gateway/routes';

const PAGE = readFileSync(join(__dirname, '..', '..', '..', 'docs', 'api.md'), 'utf8');
const section = (heading: string): string => (PAGE.split(`\n## ${heading}\n`)[1] ?? '').split('\n## ')[0] ?? '';

describe('docs/api.md', () => {
  it('lists every route, and no other', () => {
    const listed = [...section('Routes').matchAll(/`((?:GET|POST|PUT|DELETE) \/[^`]*)`/g)].map(([, route]) => route);
    expect(new Set(listed)).toEqual(new Set(ROUTES.map(({ method, path }) => `${method} ${path}`)));
    expect(listed).toHaveLength(ROUTES.length);
  });

  it('says the role that each route needs, and the status of its answer', () => {
    const rows = section('Routes').split('\n');
    const wrong = ROUTES.filter((route) => {
      const row = rows.find((line) => line.includes(`\`${route.method} ${route.path}\``)) ?? '';
      const role = route.kind === 'webhook' && route.mode === 'run' ? 'workflow key' : route.access;
      const status = route.kind === 'json' && route.answer === null ? String(route.status) : '';
      return !row.includes(` | ${role} | `) || !row.includes(`| ${status}`);
    });
    expect(wrong.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });

  it('lists every error code with its status', () => {
    const rows = section('Errors').split('\n');
    const wrong = Object.entries(ERRORS).filter(
      ([code, { status }]) => !rows.some((row) => row.startsWith(`| ${status} |`) && row.includes(`\`${code}\``)),
    );
    expect(wrong).toEqual([]);
  });
});
