import { type Connection, type Model, Schema } from 'mongoose';
import { durableOptions, type Owned, ownedFields, requiredText, requiredNumber, requiredDate } from '../../lib/tenant';

/** An imported connector of a tenant. The definition is stored as JSON text, as its keys are user-defined. */
export interface ImportedRecord extends Owned {
  /** `custom-<name>` */
  name: string;
  definition: string;
  /** Characters of the definition. */
  size: number;
  /** Counts imports; one that replaces another names the one it saw. */
  revision: number;
  created_by: string;
  created_at: Date;
  updated_at: Date;
}

const schema = new Schema<ImportedRecord>(
  {
    ...ownedFields,
    name: requiredText,
    definition: requiredText,
    size: requiredNumber,
    revision: requiredNumber,
    created_by: requiredText,
    created_at: requiredDate,
    updated_at: requiredDate,
  },
  { ...durableOptions, collection: 'imported_connectors' },
).index({ tenant_id: 1, name: 1 }, { unique: true });

export const importedModel = (db: Connection): Model<ImportedRecord> =>
  db.model<ImportedRecord>('imported_connector', schema);
