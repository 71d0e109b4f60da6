import type { NodeType } from '../../contract';
import { manifest } from './manifest';

export const emailSendNode: NodeType = {
  ...manifest,
  // Loaded at its first use: the client takes a tenth of a second, and most processes need none.
  run: async (ctx) => (require('./run') as typeof import('./run')).run(ctx),
};
