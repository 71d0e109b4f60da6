import { ofTenant } from '../../../lib/tenant';
import type { SsoConfigDoc, SsoModels } from './models';

/** Returns the stored configuration; null if single sign-on is not set up. */
export const findSsoConfig = (models: Pick<SsoModels, 'ssoConfigs'>, tenantId: string): Promise<SsoConfigDoc | null> =>
  ofTenant(models.ssoConfigs, tenantId).findOne({ _id: tenantId });
