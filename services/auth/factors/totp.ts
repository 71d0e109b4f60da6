import type { Model } from 'mongoose';
import type { Keyring, Sealed, StoredSeal } from '../../../lib/keyring';
import { type AnySealedCollection, sealedCollection } from '../../../mixins/key-rotation';
import type { UserDoc } from '../models';

const PERIOD_SECONDS = 30;
/** Codes of the step before and after are accepted, since clocks differ (RFC 6238 section 5.2). */
const WINDOW_STEPS = 1;
/** 160 bits (RFC 4226 section 4). */
const SECRET_BYTES = 20;

interface AccountName {
  readonly tenant: string;
  readonly email: string;
}

const generator = async (secret: string, { tenant, email }: AccountName = { tenant: '', email: '' }) => {
  const { Secret, TOTP } = await import('otpauth');
  return new TOTP({
    issuer: 'Everstep',
    label: `${email} (${tenant})`,
    algorithm: 'SHA1',
    digits: 6,
    period: PERIOD_SECONDS,
    secret: Secret.fromBase32(secret),
  });
};

/** A new secret in base32, with the address that authenticator apps read. */
export async function newTotp(named: AccountName): Promise<{ secret: string; uri: string }> {
  const { Secret } = await import('otpauth');
  const secret = new Secret({ size: SECRET_BYTES }).base32;
  return { secret, uri: (await generator(secret, named)).toString() };
}

/** The time step of a code; null for a wrong one. */
export async function stepOf(secret: string, code: string, now: number): Promise<number | null> {
  const token = code.replaceAll(' ', '');
  if (!/^\d{6}$/.test(token)) return null;
  const delta = (await generator(secret)).validate({ token, timestamp: now, window: WINDOW_STEPS });
  return delta === null ? null : Math.floor(now / 1_000 / PERIOD_SECONDS) + delta;
}

/** Bound to its user: in the record of another one it does not open. */
const purpose = (userId: string) => ({
  purpose: 'everstep totp',
  salt: userId,
  context: [userId, 'totp'],
  what: 'secret of an authenticator app',
});

export const sealTotp = (keyring: Keyring, userId: string, secret: string): Sealed =>
  keyring.seal(purpose(userId), secret);

/** @throws AppError sealed_unreadable */
export const openTotp = (keyring: Keyring, userId: string, stored: StoredSeal): string =>
  keyring.open(purpose(userId), stored).toString();

/** Secrets of authenticator apps, for the rotation of master keys. */
export const sealedTotps = (users: Model<UserDoc>, keyring: Keyring): AnySealedCollection =>
  sealedCollection<UserDoc>({
    model: users,
    keyPath: 'totp.key_id',
    fields: ['totp'],
    reseal: ({ _id, totp }) =>
      totp === undefined || totp === null
        ? {}
        : { totp: { ...totp, ...sealTotp(keyring, _id, openTotp(keyring, _id, totp)) } },
  });
