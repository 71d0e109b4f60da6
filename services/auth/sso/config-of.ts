import { ofTenant } from '../../../lib/tenant';
import type { SsoConfigDoc, SsoModels } from './models';

/** A tenant's single sign-on as it is stored; null when none was set up. */
export const ssoOf = (models: Pick<SsoModels, 'ssoConfigs'>, tenantId: string): Promise<SsoConfigDoc | null> =>
  ofTenant(models.ssoConfigs, tenantId).findOne({ _id: tenantId });

/** Whether the tenant's people must sign in by its provider. Owners need not, so that they can repair it. */
export const isEnforced = (config: Pick<SsoConfigDoc, 'enabled' | 'enforce'> | null): boolean =>
  config !== null && config.enabled && config.enforce;
