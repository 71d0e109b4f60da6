import type { Acting } from '../../../mixins/audit';
import type { AuthDeps } from '../deps';

/** A request of an identity provider. */
export interface ScimCall {
  readonly parts: AuthDeps;
  readonly tenantId: string;
  /** For the audit log. */
  readonly who: Acting;
  /** The address of the SCIM endpoint. */
  readonly base: string;
}
