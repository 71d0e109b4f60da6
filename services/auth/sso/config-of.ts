import { ofTenant } from '../../../mixins/tenant';
import type { SsoConfigDoc, SsoModels } from './models';

/** A tenant's single sign-on as it is stored; null when none was set up. */
export const ssoOf = (models: Pick<SsoModels, 'ssoConfigs'>, tenantId: string): Promise<SsoConfigDoc | null> =>
  ofTenant(models.ssoConfigs, tenantId).findOne({ _id: tenantId });

/** Whether the tenant's people must sign in by its provider. Owners need not: somebody has to be able to mend it. */
export const isEnforced = (config: Pick<SsoConfigDoc, 'enabled' | 'enforce'> | null): boolean =>
  config !== null && config.enabled && config.enforce;
