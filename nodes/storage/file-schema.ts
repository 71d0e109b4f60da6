import type { JsonSchema } from '../contract';

/** Where a file is, in the workspace of a run. */
export const PATH: JsonSchema = {
  type: 'string',
  title: 'Path',
  description: 'Where it is in the workspace of the run; folders are parted by /.',
  minLength: 1,
  maxLength: 1_024,
  examples: ['reports/2026.csv'],
};

/** What steps put out about a file. */
export const FILE_OUTPUT: Readonly<Record<string, JsonSchema>> = {
  path: { type: 'string', title: 'Path', description: 'Where it is in the workspace of the run.' },
  name: { type: 'string', title: 'Name', description: 'The last part of the path.' },
  size: { type: 'integer', title: 'Size', description: 'In bytes.', minimum: 0 },
  content_type: { type: 'string', title: 'Content type', description: 'What it is.' },
  sha256: { type: 'string', title: 'SHA-256', description: 'Digest of the content, in hexadecimal.' },
};
