import type { ServiceSchema } from 'moleculer';
import { defineService, staleParams } from '../../mixins/service';
import type { App } from '../app';
import { accounts } from './menu/accounts';
import { apiKeyMenu } from './menu/api-keys';
import { trusted } from './menu/trusted';
import { createAuthIndexes } from './models';
import { AuthParts } from './parts';
import { sweepRegistrations } from './registration';

const SWEEP_EVERY_MS = 10 * 60_000;

/** Tenants, users, credentials and plans: who somebody is, and what he may use. */
export const authService = (app: App): ServiceSchema => {
  const parts = new AuthParts(app);
  let cancelSweep = (): void => {};
  let stopped = false;

  const sweep = async (): Promise<void> => {
    try {
      const { removed } = await sweepRegistrations(parts.models, app.clock.now());
      if (removed > 0) parts.context?.log.info(`Removed ${removed} users whose registration had not finished`);
    } catch (error) {
      parts.context?.log.warn('Unfinished registrations could not be looked through; the next sweep will', error);
    }
    if (!stopped) cancelSweep = app.clock.after(SWEEP_EVERY_MS, () => void sweep());
  };

  return defineService(app, 'auth', {
    actions: { ...accounts(parts), ...apiKeyMenu(parts), ...trusted(parts) },
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
      await sweep();
    },
    stopped() {
      stopped = true;
      cancelSweep();
    },
  });
};
