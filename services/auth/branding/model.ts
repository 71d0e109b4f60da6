import { type Connection, type Model, Schema } from 'mongoose';
import {
  durableOptions,
  type Owned,
  optionalText,
  ownedFields,
  requiredDate,
  requiredNumber,
  requiredText,
} from '../../../lib/tenant';
import type { LogoType } from '../../../contracts/auth/branding';

/** Where logos are served, before their ids. */
export const LOGO_PATH = '/public/logos/';

export interface StoredLogo {
  /** Random, and another one for each image: addresses of logos are cached by browsers. */
  id: string;
  content_type: LogoType;
  width: number;
  height: number;
  size: number;
  /** In base64. */
  data: string;
}

/** The branding of a tenant; `_id` is the tenant's. */
export interface BrandingDoc extends Owned {
  name: string | null;
  color: string | null;
  logo: StoredLogo | null;
  updated_at: Date;
}

const logoSchema = new Schema<StoredLogo>(
  {
    id: requiredText,
    content_type: requiredText,
    width: requiredNumber,
    height: requiredNumber,
    size: requiredNumber,
    data: requiredText,
  },
  { _id: false },
);

const brandingSchema = new Schema<BrandingDoc>(
  {
    ...ownedFields,
    name: optionalText,
    color: optionalText,
    logo: { type: logoSchema, default: null },
    updated_at: requiredDate,
  },
  durableOptions,
).index({ 'logo.id': 1 }, { sparse: true });

/** The collection of brandings. */
export const brandingModel = (db: Connection): Model<BrandingDoc> =>
  db.model<BrandingDoc>('Branding', brandingSchema, 'brandings');
