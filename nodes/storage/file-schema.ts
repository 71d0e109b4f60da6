import type { JsonSchema } from '../contract';

/** Where a file is, in the workspace of a run. */
export const PATH: JsonSchema = {
  type: 'string',
  title: 'Path',
  description: 'Path in the workspace of the run; / separates folders.',
  minLength: 1,
  maxLength: 1_024,
  examples: ['reports/2026.csv'],
};

/** What steps put out about a file. */
export const FILE_OUTPUT: Readonly<Record<string, JsonSchema>> = {
  path: { type: 'string', title: 'Path', description: 'Path in the workspace of the run.' },
  name: { type: 'string', title: 'Name', description: 'Last part of the path.' },
  size: { type: 'integer', title: 'Size', description: 'Size in bytes.', minimum: 0 },
  content_type: { type: 'string', title: 'Content type', description: 'Media type.' },
  sha256: { type: 'string', title: 'SHA-256', description: 'Hexadecimal digest of the content.' },
};
