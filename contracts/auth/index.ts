import { contract } from '../contract';
import { accountsActions } from './accounts';
import { organizationsActions } from './organizations';
import { sessionsActions } from './sessions';
import { ssoActions } from './sso';
import { teamActions } from './team';
import { internalActions } from './internal';

export const authContract = contract('auth', {
  ...accountsActions,
  ...organizationsActions,
  ...sessionsActions,
  ...ssoActions,
  ...teamActions,
  ...internalActions,
});
