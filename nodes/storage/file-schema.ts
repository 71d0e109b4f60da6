import type { JsonSchema } from '../contract';
import { filledText, integer, text } from '../schema';

/** Where a file is, in the workspace of a run. */
export const PATH: JsonSchema = filledText(
  'Path in the workspace of the run; / separates folders.',
  'reports/2026.csv',
  { maxLength: 1_024 },
);

/** What steps put out about a file. */
export const FILE_OUTPUT: Readonly<Record<string, JsonSchema>> = {
  path: text('Path in the workspace of the run.'),
  name: text('Last part of the path.'),
  size: integer('Size in bytes.', { minimum: 0 }),
  content_type: text('Media type.', { title: 'Content type' }),
  sha256: text('Hexadecimal digest of the content.', { title: 'SHA-256' }),
};
