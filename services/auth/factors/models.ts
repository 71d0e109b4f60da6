import { Schema } from 'mongoose';
import type { Sealed } from '../../../lib/keyring';

/** The secret of an authenticator app (RFC 6238). */
interface TotpFactor extends Sealed {
  enrolled_at: Date;
  /** The time step of the last accepted code: this one and earlier ones are refused. */
  last_step: number;
}

/** A public-key credential, as WebAuthn checks it. Binary values are in base64url. */
export interface StoredCredential {
  /** Unique in the installation. */
  credential_id: string;
  /** A COSE key (RFC 9052 section 7). */
  public_key: string;
  /** Of signatures: rises with each use, or stays zero where the authenticator does not count. */
  counter: number;
  /** Whether copies of it may be on several devices. Never changes. */
  backup_eligible: boolean;
  backed_up: boolean;
  /** How browsers reach the authenticator, such as `internal` or `usb`. */
  transports: string[];
}

/** A passkey of a user (WebAuthn Level 3). */
export interface PasskeyFactor extends StoredCredential {
  id: string;
  name: string;
  created_at: Date;
  last_used_at: Date | null;
}

/** The second factors in the record of a user; absent in records of users without one. */
export interface FactorFields {
  totp?: TotpFactor;
  passkeys?: PasskeyFactor[];
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
  passkeys: {
    type: [
      new Schema<PasskeyFactor>(
        {
          id: { type: String, ...required },
          credential_id: { type: String, ...required },
          public_key: { type: String, ...required },
          counter: { type: Number, ...required },
          backup_eligible: { type: Boolean, ...required },
          backed_up: { type: Boolean, ...required },
          transports: { type: [String], default: [] },
          name: { type: String, ...required },
          created_at: { type: Date, ...required },
          last_used_at: { type: Date, default: null },
        },
        { _id: false, id: false },
      ),
    ],
    default: undefined,
  },
  recovery_codes: { type: [String], default: undefined },
};

export const hasTotp = ({ totp }: FactorFields): boolean => totp !== undefined && totp !== null;

export const hasPasskey = ({ passkeys = [] }: FactorFields): boolean => passkeys.length > 0;

export const hasFactor = (user: FactorFields): boolean => hasTotp(user) || hasPasskey(user);

/** Conditions of updates on users. */
export const WITHOUT_PASSKEY = { 'passkeys.0': { $exists: false } } as const;
export const WITHOUT_FACTOR = { totp: null, ...WITHOUT_PASSKEY } as const;

/** The update that removes all second factors of a user. */
export const NO_FACTORS = { totp: 1, passkeys: 1, recovery_codes: 1 } as const;
