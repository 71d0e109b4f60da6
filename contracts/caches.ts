import { contract } from './contract';
import { staleParams } from './rules';
import * as s from '../lib/schema';

export const cachesContract = contract('caches', {
  /** Its caches drop what the patterns name; answered when they have. */
  forget: {
    access: 'internal',
    repeatable: true,
    summary: 'Drops what the caches of this process know of something that has changed',
    params: staleParams,
    result: s.nothing,
  },
});
