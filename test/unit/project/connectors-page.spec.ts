import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectors } from '../../../nodes/connectors';
import type { Connector } from '../../../nodes/connectors/contract';

const PAGE = readFileSync(join(__dirname, '../../../docs/connectors.md'), 'utf8');

const row = ({ name, title, auth, actions }: Connector): string => {
  const oauth = auth.oauth === undefined ? [] : [`OAuth \`${auth.oauth.provider}\``];
  const fields = auth.fields.filter(({ required }) => required).map((field) => `\`${field.name}\``);
  const account = oauth.length > 0 ? oauth : fields.length > 0 ? fields : ['none needed'];
  const does = actions.map((action) => `\`${action.name}\``).join(' ');
  return `| \`${name}\` | ${title} | ${account.join(', ')} | ${does} |`;
};

test('the page has a row for every connector, with its texts', () => {
  const rows = connectors.map(row);
  const missing = rows.filter((line) => !PAGE.includes(`\n${line}\n`));
  expect(missing).toEqual([]);
});

test('the page has no row for an unknown connector', () => {
  const names = new Set(connectors.map(({ name }) => name));
  const table = PAGE.slice(PAGE.indexOf('| connector |'), PAGE.indexOf('## Writing one'));
  const listed = [...table.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name = '']) => name);
  expect(listed.filter((name) => !names.has(name))).toEqual([]);
});
