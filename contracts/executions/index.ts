import { contract } from '../contract';
import { internalActions } from './internal';
import { runsActions } from './runs';
import { decisionsActions } from './decisions';
import { integratorActions } from './integrators';
import { expressionsActions } from './expressions';
import { formActions } from './forms';
import { queuesActions } from './queues';
import { usageActions } from './usage';
import { graphActions } from './graph';
import { comparisonActions } from './comparison';

export const executionsContract = contract('executions', {
  ...internalActions,
  ...runsActions,
  ...decisionsActions,
  ...integratorActions,
  ...expressionsActions,
  ...graphActions,
  ...formActions,
  ...queuesActions,
  ...usageActions,
  ...comparisonActions,
});
