import { baseUrlFor } from '../../../lib/base-url';
import { AppError } from '../../../lib/errors';
import type { Principal } from '../../../lib/principal';
import { isBelow } from '../../../lib/roles';
import { auditedBy } from '../../../mixins/audit';
import type { Handlers } from '../../../mixins/service';
import type { AuthDeps } from '../deps';
import { errorOf } from '../scim/errors';
import { serve } from '../scim/serve';

const SCIM_PATH = '/scim/v2';

/** Provisioning by a tenant's identity provider. */
export const scimActions = (parts: AuthDeps): Pick<Handlers<'auth'>, 'scim'> => ({
  async scim({ params, origin, requestId }) {
    const { app } = parts;
    const caller = app.principals.verify(params.caller, app.clock.now());
    if (caller === null) throw new AppError('unauthenticated', 'The credential has expired; send the request again');
    assertMayProvision(caller);
    const tenantId = caller.tenant_id;
    const base = `${baseUrlFor(app.config, params.origin ?? undefined)}${SCIM_PATH}`;
    const who = auditedBy({ principal: caller, tenantId, origin, requestId });
    try {
      return await serve({ parts, tenantId, who, base }, params.path, params);
    } catch (error) {
      return errorOf(error);
    }
  },
});

/** @throws AppError forbidden for every credential but an API key with the scope `scim` of an admin or a service account */
function assertMayProvision({ scope, role }: Principal): void {
  if (scope !== 'scim')
    throw new AppError(
      'forbidden',
      'SCIM takes an API key with the scope scim: an owner makes one under Single sign-on',
    );
  if (isBelow(role, 'admin'))
    throw new AppError('forbidden', `The user of a SCIM key must be an admin or owner; its role is ${role}`);
}
