import type { NodeManifest } from '../../manifest';
import { exactlyOneOf, objectSchema } from '../../schema';
import { FILE_OUTPUT, PATH } from '../file-schema';

const properties = {
  path: PATH,
  content: {
    title: 'Content',
    description: 'Text; any other value is written as JSON.',
    examples: ['{{ steps.report.text }}'],
  },
  content_base64: {
    type: 'string',
    title: 'Content in base64',
    description: 'Bytes, instead of a text.',
    examples: ['{{ steps.download.body }}'],
  },
  content_type: {
    type: 'string',
    title: 'Content type',
    description: 'What it is; by default what its name tells.',
    minLength: 3,
    maxLength: 200,
    examples: ['text/csv; charset=utf-8'],
  },
} as const;

export const manifest: NodeManifest = {
  type: 'file_write',
  version: 1,
  title: 'Write file',
  description: 'Writes a file into the workspace of the run, in place of what was at its path.',
  category: 'Storage',
  effect: 'write',
  // The same content comes to the same path.
  onInterrupted: 'retry',
  input: objectSchema(properties, ['path'], exactlyOneOf('content', 'content_base64')),
  output: objectSchema(FILE_OUTPUT, ['path', 'name', 'size', 'content_type', 'sha256']),
  tool: {
    name: 'file_write',
    description: 'Writes a text file into the workspace of the run.',
    parameters: objectSchema({ path: properties.path, content: { ...properties.content, type: 'string' } }, [
      'path',
      'content',
    ]),
  },
};
