import { type Connection, Schema } from 'mongoose';
import { durableOptions, ownedFields, requiredDate, requiredText, optionalText } from '../../../lib/tenant';

/** What an identity provider says of a user beside the e-mail address. */
export interface ScimProfile {
  user_name: string;
  /** In lower case: names differ in more than case. */
  user_name_key: string;
  external_id: string | null;
  display_name: string | null;
  given_name: string | null;
  family_name: string | null;
  formatted: string | null;
  updated_at: Date;
}

/** A group of an identity provider. */
export interface ScimGroupDoc {
  _id: string;
  tenant_id: string;
  display_name: string;
  /** In lower case. */
  display_name_key: string;
  external_id: string | null;
  /** Ids of users. */
  members: string[];
  /** Rises with each change. */
  revision: number;
  created_at: Date;
  updated_at: Date;
}

export const scimProfileSchema = new Schema<ScimProfile>(
  {
    user_name: requiredText,
    user_name_key: requiredText,
    external_id: optionalText,
    display_name: optionalText,
    given_name: optionalText,
    family_name: optionalText,
    formatted: optionalText,
    updated_at: requiredDate,
  },
  { _id: false },
);

const scimGroupSchema = new Schema<ScimGroupDoc>(
  {
    ...ownedFields,
    display_name: requiredText,
    display_name_key: requiredText,
    external_id: optionalText,
    members: { type: [String], default: [] },
    revision: { type: Number, required: true },
    created_at: requiredDate,
    updated_at: requiredDate,
  },
  durableOptions,
)
  .index({ tenant_id: 1, display_name_key: 1 }, { unique: true })
  .index({ tenant_id: 1, external_id: 1 })
  .index({ tenant_id: 1, members: 1 });

/** The collection of provisioned groups, on one connection. */
export const scimModels = (db: Connection) => ({
  scimGroups: db.model<ScimGroupDoc>('ScimGroup', scimGroupSchema, 'scim_groups'),
});
