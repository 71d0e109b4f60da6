import { authContract } from '../../contracts/auth';
import type { ServiceBroker, ServiceSchema } from 'moleculer';
import { PeriodicTask } from '../../lib/periodic';
import { KeyRotation } from '../../mixins/key-rotation';
import { defineService } from '../../mixins/service';
import { type App, appOf } from '../app';
import { accountActions } from './actions/accounts';
import { apiKeyActions } from './actions/api-keys';
import { brandingActions } from './actions/branding';
import { downloadActions } from './actions/downloads';
import { passkeyActions } from './actions/passkeys';
import { operatorActions } from './actions/operator';
import { organizationActions } from './actions/organizations';
import { scimActions } from './actions/scim';
import { signInActions } from './actions/sign-in';
import { ssoActions } from './actions/sso';
import { secondFactorActions, secondFactorRules } from './actions/second-factor';
import { runViewActions } from './actions/run-views';
import { sessionActions } from './actions/sessions';
import { signingKeyActions } from './actions/signing-keys';
import { teamActions } from './actions/team';
import { internalActions } from './actions/internal';
import { sealedTotps } from './factors/totp';
import { createAuthIndexes } from './models';
import { AuthDeps } from './deps';
import { sweepRegistrations } from './registration';
import { sealedClientSecrets } from './sso/client-secret';
import { SignOn } from './sso/sign-on';
import { SuiteSignOn } from './sso/suite';
import { SignInTester } from './sso/tester';
import { nameOwners, sweepLeaving } from './team/sweep';

const SWEEP_EVERY_MS = 10 * 60_000;

/** Tenants, users, credentials and plans: identity and entitlements. */
export const authService = (app: App): ServiceSchema => {
  const parts = new AuthDeps(app);
  const signOn = new SignOn(parts);
  const tester = new SignInTester(parts, signOn);
  const suite = new SuiteSignOn(parts, signOn.requests);
  const factorRules = secondFactorRules(parts);
  const rotation = new KeyRotation(app, [
    sealedClientSecrets(parts.models.ssoConfigs, app.keyring),
    sealedTotps(parts.models.users, app.keyring),
  ]);
  const sweep = new PeriodicTask({
    clock: app.clock,
    intervalMs: SWEEP_EVERY_MS,
    run: async () => {
      const { removed } = await sweepRegistrations(parts.models, app.clock.now());
      if (removed > 0) parts.context?.log.info(`Removed ${removed} users whose registration had not finished`);
      await sweepLeaving(parts.models, parts.membership);
    },
    onError: (error) =>
      parts.context?.log.warn('Unfinished registrations and removals could not be read; the next sweep will', error),
  });

  return defineService(app, authContract, {
    handlers: {
      ...accountActions(parts),
      ...runViewActions(parts),
      ...sessionActions(parts),
      ...secondFactorActions(parts, factorRules),
      ...passkeyActions(parts, factorRules),
      ...apiKeyActions(parts),
      ...brandingActions(parts),
      ...downloadActions(parts),
      ...teamActions(parts),
      ...internalActions(parts),
      ...operatorActions(parts),
      ...organizationActions(parts),
      ...signingKeyActions(parts),
      ...scimActions(parts),
      ...ssoActions(parts, signOn, tester),
      ...signInActions(parts, signOn, suite, tester),
    },
    events: {
      'cache.stale': {
        handle: ({ patterns }) => {
          if (patterns.some((pattern) => pattern.startsWith('auth:'))) parts.forget();
        },
      },
    },
    async started(context) {
      parts.context = context;
      await createAuthIndexes(parts.models);
      await nameOwners(parts.models);
      sweep.trigger();
      await sweep.idle();
      rotation.start(context);
    },
    async stopped() {
      await Promise.all([sweep.stop(), rotation.stop(), signOn.close(), suite.close()]);
    },
  });
};

export default (broker: ServiceBroker): ServiceSchema => authService(appOf(broker));
