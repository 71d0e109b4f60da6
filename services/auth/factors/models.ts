import { Schema } from 'mongoose';
import type { Sealed } from '../../../lib/keyring';

/** The secret of an authenticator app (RFC 6238). */
interface TotpFactor extends Sealed {
  enrolled_at: Date;
  /** The time step of the last accepted code: this one and earlier ones are refused. */
  last_step: number;
}

/** The second factors in the record of a user; absent in records of users without one. */
export interface FactorFields {
  totp?: TotpFactor;
  /** SHA-256 of the codes that are left, with the user's id. */
  recovery_codes?: string[];
}

const required = { required: true } as const;

export const factorFields = {
  totp: {
    type: new Schema<TotpFactor>(
      {
        sealed: { type: Buffer, ...required },
        key_id: { type: String, ...required },
        enrolled_at: { type: Date, ...required },
        last_step: { type: Number, ...required },
      },
      { _id: false },
    ),
  },
  recovery_codes: { type: [String], default: undefined },
};

export const hasFactor = ({ totp }: FactorFields): boolean => totp !== undefined && totp !== null;

/** Matches users without a second factor. */
export const WITHOUT_FACTOR = { totp: null } as const;
