import { type Connection, type Model, Schema } from 'mongoose';
import { type Owned, durableOptions, ownedFields } from '../../../lib/tenant';

/** A named constant of a tenant. The value lies as JSON text: its keys are the user's own. */
export interface Variable {
  name: string;
  value: string;
  updated_by: string;
  updated_at: Date;
}

/**
 * All variables of a tenant, by name; `_id` is the tenant. One record, so that they are read together as they were at
 * one time, and changes at the same time cannot go over a limit together.
 */
export interface VariablesRecord extends Owned {
  variables: Variable[];
  /** Counts changes; a change names the one it saw. */
  revision: number;
}

const text = { type: String, required: true } as const;

const variable = new Schema<Variable>(
  { name: text, value: text, updated_by: text, updated_at: { type: Date, required: true } },
  { _id: false },
);

const schema = new Schema<VariablesRecord>(
  { ...ownedFields, variables: [variable], revision: { type: Number, required: true } },
  { ...durableOptions, collection: 'variables' },
);

export const variablesModel = (db: Connection): Model<VariablesRecord> =>
  db.model<VariablesRecord>('variables', schema);
