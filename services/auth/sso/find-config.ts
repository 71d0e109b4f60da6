import { ofTenant } from '../../../lib/tenant';
import type { SsoConfigDoc, SsoModels } from './models';

/** Returns the stored configuration; null if single sign-on is not set up. */
export const findSsoConfig = (models: Pick<SsoModels, 'ssoConfigs'>, tenantId: string): Promise<SsoConfigDoc | null> =>
  ofTenant(models.ssoConfigs, tenantId).findOne({ _id: tenantId });

/** True if members must sign in with the tenant's provider. Owners are exempt, so that they can repair the configuration. */
export const isEnforced = (config: Pick<SsoConfigDoc, 'enabled' | 'enforce'> | null): boolean =>
  config !== null && config.enabled && config.enforce;
