import { contract } from '../contract';
import { datasetsActions } from './datasets';
import { evaluationsActions } from './evaluations';

export const evaluationsContract = contract('evaluations', { ...datasetsActions, ...evaluationsActions });
