import { contract } from '../contract';
import { accountsActions } from './accounts';
import { brandingActions } from './branding';
import { downloadsActions } from './downloads';
import { operatorActions } from './operator';
import { organizationsActions } from './organizations';
import { passkeyActions } from './passkeys';
import { runViewActions } from './run-views';
import { scimActions } from './scim';
import { sessionsActions } from './sessions';
import { secondFactorActions } from './second-factor';
import { ssoActions } from './sso';
import { teamActions } from './team';
import { internalActions } from './internal';

export const authContract = contract('auth', {
  ...accountsActions,
  ...brandingActions,
  ...downloadsActions,
  ...operatorActions,
  ...organizationsActions,
  ...runViewActions,
  ...sessionsActions,
  ...secondFactorActions,
  ...passkeyActions,
  ...scimActions,
  ...ssoActions,
  ...teamActions,
  ...internalActions,
});
