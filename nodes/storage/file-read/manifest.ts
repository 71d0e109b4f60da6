import type { NodeManifest } from '../../manifest';
import { objectSchema } from '../../schema';
import { FILE_OUTPUT, PATH } from '../file-schema';

export const manifest: NodeManifest = {
  type: 'file_read',
  version: 1,
  title: 'Read file',
  description: 'Reads a file from the workspace of the run, or of another run of the tenant.',
  category: 'Storage',
  effect: 'read',
  onInterrupted: 'retry',
  input: objectSchema(
    {
      path: PATH,
      response: {
        type: 'string',
        title: 'Response',
        description: 'How the content is given; auto goes by its type.',
        enum: ['auto', 'json', 'text', 'base64'],
        default: 'auto',
      },
      execution_id: {
        type: 'string',
        title: 'Execution',
        description: 'Id of the run that has written it; by default this one.',
        minLength: 1,
        maxLength: 100,
        examples: ['{{ trigger.body.execution_id }}'],
      },
    },
    ['path'],
  ),
  output: objectSchema(
    {
      content: { title: 'Content', description: 'Text, the value of a JSON document, or bytes in base64.' },
      ...FILE_OUTPUT,
    },
    ['content', 'path', 'name', 'size', 'content_type', 'sha256'],
  ),
  tool: {
    name: 'file_read',
    description: 'Reads a file from the workspace of the run.',
    parameters: objectSchema({ path: PATH }, ['path']),
  },
};
