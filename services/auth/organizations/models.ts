import { type Connection, type Model, Schema } from 'mongoose';
import { durableOptions } from '../../../lib/tenant';

/** The tenants of an organization reference it in `organization_id`; a tenant has at most one organization. */
export interface OrganizationDoc {
  _id: string;
  name: string;
  home_tenant_id: string;
  created_at: Date;
}

const required = { type: String, required: true } as const;

const organizationSchema = new Schema<OrganizationDoc>(
  { _id: required, name: required, home_tenant_id: required, created_at: { type: Date, required: true } },
  durableOptions,
);

/** The collection of organizations. */
export const organizationModel = (db: Connection): Model<OrganizationDoc> =>
  db.model<OrganizationDoc>('Organization', organizationSchema, 'organizations');
