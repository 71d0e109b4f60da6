import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { metricsTable } from '../../support/metrics-page';

it('docs/metrics.md has the table of all metrics as it is', () => {
  const page = readFileSync(join(__dirname, '..', '..', '..', 'docs', 'metrics.md'), 'utf8');
  expect(page).toContain(metricsTable());
});
