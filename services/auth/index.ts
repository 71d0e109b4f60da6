import type { ServiceSchema } from 'moleculer';
import { Rotation } from '../../mixins/keys/rotation';
import { defineService, staleParams } from '../../mixins/service';
import type { App } from '../app';
import { accounts } from './menu/accounts';
import { apiKeyMenu } from './menu/api-keys';
import { organizationMenu } from './menu/organizations';
import { signInMenu } from './menu/sign-in';
import { ssoMenu } from './menu/sso';
import { sessionMenu } from './menu/sessions';
import { signingKeyMenu } from './menu/signing-keys';
import { teamMenu } from './menu/team';
import { trusted } from './menu/trusted';
import { createAuthIndexes } from './models';
import { AuthParts } from './parts';
import { sweepRegistrations } from './registration';
import { sealedClientSecrets } from './sso/client-secret';
import { SignOn } from './sso/sign-on';
import { SuiteSignOn } from './sso/suite';
import { nameOwners, sweepLeaving } from './team/sweep';

const SWEEP_EVERY_MS = 10 * 60_000;

/** Tenants, users, credentials and plans: who somebody is, and what he may use. */
export const authService = (app: App): ServiceSchema => {
  const parts = new AuthParts(app);
  const signOn = new SignOn(parts);
  const suite = new SuiteSignOn(parts, signOn.requests);
  const rotation = new Rotation(app, [sealedClientSecrets(parts.models.ssoConfigs, app.keyring)]);
  let cancelSweep = (): void => {};
  let stopped = false;

  const sweep = async (): Promise<void> => {
    try {
      const { removed } = await sweepRegistrations(parts.models, app.clock.now());
      if (removed > 0) parts.context?.log.info(`Removed ${removed} users whose registration had not finished`);
      await sweepLeaving(parts.models, parts.roster);
    } catch (error) {
      parts.context?.log.warn(
        'Unfinished registrations and removals could not be looked through; the next sweep will',
        error,
      );
    }
    if (!stopped) cancelSweep = app.clock.after(SWEEP_EVERY_MS, () => void sweep());
  };

  return defineService(app, 'auth', {
    actions: {
      ...accounts(parts),
      ...sessionMenu(parts),
      ...apiKeyMenu(parts),
      ...teamMenu(parts),
      ...trusted(parts),
      ...organizationMenu(parts),
      ...signingKeyMenu(parts),
      ...ssoMenu(parts, signOn),
      ...signInMenu(parts, signOn, suite),
    },
    events: {
      'cache.stale': {
        params: staleParams,
        handle: ({ patterns }) => {
          if (patterns.some((pattern) => pattern.startsWith('auth:'))) parts.forget();
        },
      },
    },
    async started(context) {
      parts.context = context;
      await createAuthIndexes(parts.models);
      await nameOwners(parts.models);
      await sweep();
      rotation.start(context);
    },
    async stopped() {
      stopped = true;
      cancelSweep();
      await Promise.all([rotation.stop(), signOn.close(), suite.close()]);
    },
  });
};
