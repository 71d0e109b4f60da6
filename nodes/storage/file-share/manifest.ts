import type { NodeManifest } from '../../manifest';
import { durationSchema, objectSchema } from '../../schema';
import { PATH } from '../file-schema';

export const manifest: NodeManifest = {
  type: 'file_share',
  version: 1,
  title: 'Share file',
  description: 'Makes a file of the run downloadable by whoever has its address.',
  category: 'Storage',
  effect: 'write',
  // One that is shared keeps its address.
  onInterrupted: 'retry',
  input: objectSchema(
    {
      path: PATH,
      expires: durationSchema('Expires', 'For how long; without it, for as long as the file is there.', '7d'),
    },
    ['path'],
  ),
  output: objectSchema(
    {
      url: { type: 'string', title: 'URL', description: 'Where anybody can download it.' },
      id: { type: 'string', title: 'Id', description: 'What the address is made of: who knows it has the file.' },
      expires_at: { type: ['string', 'null'], title: 'Expires at', description: 'When that ends; null for never.' },
    },
    ['url', 'id', 'expires_at'],
  ),
};
