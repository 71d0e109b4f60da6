import { contract } from '../contract';
import { basesActions } from './bases';
import { internalActions } from './internal';
import { documentsActions } from './documents';

export const knowledgeContract = contract('knowledge', {
  ...basesActions,
  ...internalActions,
  ...documentsActions,
});
